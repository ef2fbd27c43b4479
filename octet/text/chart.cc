#include "octet/text/chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "octet/text/utf8.h"

namespace octet {

std::string_view chart_colour(std::size_t index) {
  static constexpr std::array<std::string_view, 6> kColours = {"#9aa5b1", "#2f6fde", "#e07b39",
                                                               "#3a9d5d", "#8e5bc0", "#c9a227"};
  return kColours[index % kColours.size()];
}

std::string svg_escaped(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  }
  return result;
}

std::string chart_head(double width, double height, const std::string& title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n"
      "<style>text{{fill:#24292f}}.grid{{stroke:#d0d7de}}@media(prefers-color-scheme:dark){{text{{fill:#e6edf3}}"
      ".grid{{stroke:#3d444d}}}}</style>\n"
      "<text x=\"44\" y=\"18\" font-size=\"14\">{2}</text>\n",
      width, height, svg_escaped(title));
}

std::string legend_entry(double& x, std::size_t index, const std::string& name) {
  const std::string entry = fmt::format(
      "<rect x=\"{:.0f}\" y=\"30\" width=\"10\" height=\"10\" fill=\"{}\"/><text x=\"{:.0f}\" y=\"39\">{}</text>\n", x,
      chart_colour(index), x + 14, svg_escaped(name));
  x += 34 + 6.2 * static_cast<double>(name.size());
  return entry;
}

double line_distance(double largest) {
  const double rough = std::max(largest, 1e-9) / 5, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1.0, 2.0, 5.0})
    if (rough <= step * power) return step * power;
  return 10 * power;
}

}  // namespace octet
