#include "octet/report/bar_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace octet {
namespace {

constexpr std::array<std::string_view, 6> kColours = {"#9aa5b1", "#2f6fde", "#e07b39", "#3a9d5d", "#8e5bc0", "#c9a227"};
constexpr double kBar = 14, kGap = 18, kHeight = 220, kLeft = 44, kTop = 56, kBelow = 110;

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
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

// 1, 2 or 5 times a power of ten, so that a scale has five lines or so.
double line_distance(double largest) {
  const double rough = std::max(largest, 1e-9) / 5, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1.0, 2.0, 5.0})
    if (rough <= step * power) return step * power;
  return 10 * power;
}

}  // namespace

std::string BarChart::svg() const {
  double largest = 0;
  for (const Group& group : groups)
    for (const std::optional<double>& value : group.values) largest = std::max(largest, value.value_or(0));
  const double distance = line_distance(largest), top = std::max(distance, std::ceil(largest / distance) * distance);
  const double group_width = kBar * static_cast<double>(series.size()) + kGap;
  const double width = std::max(kLeft + group_width * static_cast<double>(groups.size()) + kGap, 420.0);
  const auto y_of = [&](double value) { return kTop + kHeight * (1 - value / top); };
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n"
      "<style>text{{fill:#24292f}}.grid{{stroke:#d0d7de}}@media(prefers-color-scheme:dark){{text{{fill:#e6edf3}}"
      ".grid{{stroke:#3d444d}}}}</style>\n"
      "<text x=\"{2}\" y=\"18\" font-size=\"14\">{3}</text>\n",
      width, kTop + kHeight + kBelow, kLeft, escaped(title));
  double x = kLeft;
  for (std::size_t s = 0; s < series.size(); ++s) {
    text += fmt::format(
        "<rect x=\"{:.0f}\" y=\"30\" width=\"10\" height=\"10\" fill=\"{}\"/><text x=\"{:.0f}\" y=\"39\">{}</text>\n",
        x, kColours[s % kColours.size()], x + 14, escaped(series[s]));
    x += 34 + 6.2 * static_cast<double>(series[s].size());
  }
  for (double value = 0; value <= top + distance / 2; value += distance)
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1:.0f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:g}</text>\n",
        kLeft, width - kGap / 2, y_of(value), kLeft - 5, y_of(value) + 4, value);
  text += fmt::format("<text x=\"6\" y=\"{:.0f}\">{}</text>\n", kTop - 6, escaped(unit));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double left = kLeft + kGap / 2 + group_width * static_cast<double>(g);
    for (std::size_t s = 0; s < groups[g].values.size(); ++s)
      if (const std::optional<double>& value = groups[g].values[s])
        text += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\"><title>{}: {} "
            "{:g}</title></rect>\n",
            left + kBar * static_cast<double>(s), y_of(*value), kBar - 1, kTop + kHeight - y_of(*value),
            kColours[s % kColours.size()], escaped(groups[g].name), escaped(series[s]), *value);
    text += fmt::format("<text transform=\"translate({:.1f},{:.0f}) rotate(-40)\" text-anchor=\"end\">{}</text>\n",
                        left + (group_width - kGap) / 2 + 4, kTop + kHeight + 14, escaped(groups[g].name));
  }
  return text + "</svg>\n";
}

}  // namespace octet
