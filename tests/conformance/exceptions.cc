#include "tests/conformance/exceptions.h"

#include <fstream>

#include "octet/base/fail.h"

namespace octet {

bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') return matches(pattern.substr(1), text) || (!text.empty() && matches(pattern, text.substr(1)));
  return !text.empty() && pattern[0] == text[0] && matches(pattern.substr(1), text.substr(1));
}

std::vector<Exception> load_exceptions(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) fail(ErrorCode::kIo, "{} can't be read", file.string());
  std::vector<Exception> exceptions;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) fail(ErrorCode::kFormat, "'{}' is not 'pattern: reason'", line);
    exceptions.push_back({line.substr(0, colon), line.substr(colon + 2)});
  }
  return exceptions;
}

}  // namespace octet
