#include "cli/dimensions.h"

#include <charconv>

#include "octet/base/fail.h"

namespace octet::cli {

void add_dim_option(CommandLine line, std::vector<std::string>& bindings) {
  line.option("--dim", bindings, "Give a symbolic dimension its size; may be repeated", "NAME=NUMBER").once_each();
}

std::map<std::string, std::int64_t> parse_dimensions(const std::vector<std::string>& bindings) {
  std::map<std::string, std::int64_t> values;
  for (const std::string& binding : bindings) {
    const std::size_t sign = binding.rfind('=');
    std::int64_t value = -1;
    if (sign != std::string::npos && sign > 0) {
      const char* const end = binding.data() + binding.size();
      const auto [rest, error] = std::from_chars(binding.data() + sign + 1, end, value);
      if (error != std::errc() || rest != end) value = -1;
    }
    if (value < 0) fail(ErrorCode::kUsage, "--dim wants NAME=NUMBER, such as N=1, and not {}", binding);
    if (!values.emplace(binding.substr(0, sign), value).second)
      fail(ErrorCode::kUsage, "--dim gives {} twice", binding.substr(0, sign));
  }
  return values;
}

}  // namespace octet::cli
