#include "octet/analyze/support/writing.h"

#include <fmt/core.h>

#include "octet/text/numbers.h"

namespace octet {

std::string text(const ExplainedValue& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

std::string step_text(const Explanation& explanation) {
  std::string nodes;
  for (const SourceNode& source : explanation.sources)
    nodes += fmt::format("{}{} ({})", nodes.empty() ? "" : ", ", source.name, source.op_type);
  return fmt::format("{}, {}: {}", name(explanation.kind),
                     counted(static_cast<std::int64_t>(explanation.sources.size()), "node"), nodes);
}

std::string type_text(const Explanation& explanation) {
  std::string type = fmt::format("{} {}", name(explanation.dtype), to_string(explanation.shape));
  if (explanation.quantization)
    type +=
        fmt::format(", scale {}, zero point {}", explanation.quantization->scale, explanation.quantization->zero_point);
  return type;
}

std::vector<std::vector<std::string>> shown_rows(const ExplainedTerms& terms, bool all) {
  constexpr std::size_t kFirst = 6, kLast = 3;
  const std::size_t count = terms.rows.size();
  const bool abridged = !all && count > kFirst + kLast + 1;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < count; ++k) {
    if (abridged && k == kFirst) {
      rows.push_back({"…", fmt::format("{} more", count - kFirst - kLast)});
      k = count - kLast;
    }
    std::vector<std::string>& row = rows.emplace_back();
    for (const ExplainedValue& value : terms.rows[k]) row.push_back(text(value));
  }
  return rows;
}

}  // namespace octet
