#include "octet/text/row_chart.h"

#include <fmt/core.h>

#include <algorithm>

#include "octet/text/chart.h"

namespace octet {

std::string RowChart::svg() const {
  constexpr double kRow = 20, kTop = 52, kBars = 380, kText = 130, kBelow = 14;
  std::size_t longest = 0;
  double largest = 0;
  for (const Row& row : rows) {
    longest = std::max(longest, row.name.size());
    largest = std::max(largest, row.value.value_or(0));
  }
  const double left = 16 + 5.9 * static_cast<double>(longest), bottom = kTop + kRow * static_cast<double>(rows.size());
  const double distance = line_distance(largest), scale = kBars / std::max(largest, distance);
  std::string text = chart_head(left + kBars + kText, bottom + kBelow, title);
  for (int line = 0; line * distance * scale <= kBars + 0.5; ++line)
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2:.0f}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4:g}{5}</text>\n",
        left + line * distance * scale, kTop - 4, bottom, kTop - 9, line * distance,
        line == 0 ? fmt::format(" {}", svg_escaped(unit)) : "");
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double y = kTop + kRow * static_cast<double>(r), width = rows[r].value.value_or(0) * scale;
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", left - 7, y + 13,
                        svg_escaped(rows[r].name));
    if (rows[r].value)
      text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>", left, y + 3,
                          std::max(width, 1.0), kRow - 6, chart_colour(1));
    text +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left + width + 6, y + 13, svg_escaped(rows[r].text));
  }
  return text + "</svg>\n";
}

}  // namespace octet
