#include "octet/text/fold_lines.h"

#include <algorithm>
#include <vector>

#include "octet/text/fit.h"

namespace octet {

std::string fold_lines(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t margin = std::min(line.find_first_not_of(' '), width / 2);
    if (display_width(line) <= width) {
      result += line;
    } else {
      const std::vector<std::string> parts = wrap(line.substr(margin), width - margin);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) result += '\n';
        result.append(margin, ' ') += parts[i];
      }
    }
    text.remove_prefix(line.size());
    if (!text.empty()) result += '\n', text.remove_prefix(1);
  }
  return result;
}

}  // namespace octet
