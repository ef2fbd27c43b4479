#include "octet/text/bar_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "octet/text/chart.h"

namespace octet {
namespace {

constexpr double kBar = 14, kGap = 18, kHeight = 220, kLeft = 44, kTop = 56, kBelow = 110;

}  // namespace

std::string BarChart::svg() const {
  double largest = 0;
  for (const Group& group : groups)
    for (const std::optional<double>& value : group.values) largest = std::max(largest, value.value_or(0));
  const double distance = line_distance(largest), top = std::max(distance, std::ceil(largest / distance) * distance);
  double behind_legend = kLeft;
  std::string legend;
  for (std::size_t s = 0; s < series.size(); ++s) legend += legend_entry(behind_legend, s, series[s]);
  const double least = (kBar * static_cast<double>(series.size()) + kGap) * static_cast<double>(groups.size());
  const double width = std::max({kLeft + least + kGap, behind_legend, 420.0});
  // Few groups are drawn wider, so that they fill what the legend takes.
  const double stretch = groups.empty() ? 1 : std::min((width - kLeft - kGap) / least, 3.0);
  const double bar = kBar * stretch, gap = kGap * stretch, group_width = bar * static_cast<double>(series.size()) + gap;
  const auto y_of = [&](double value) { return kTop + kHeight * (1 - value / top); };
  std::string text = chart_head(width, kTop + kHeight + kBelow, title);
  text += legend;
  for (double value = 0; value <= top + distance / 2; value += distance)
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1:.0f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:g}</text>\n",
        kLeft, width - kGap / 2, y_of(value), kLeft - 5, y_of(value) + 4, value);
  text += fmt::format("<text x=\"6\" y=\"{:.0f}\">{}</text>\n", kTop - 6, svg_escaped(unit));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double left = kLeft + gap / 2 + group_width * static_cast<double>(g);
    for (std::size_t s = 0; s < groups[g].values.size(); ++s)
      if (const std::optional<double>& value = groups[g].values[s])
        text += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:g}\" height=\"{:.1f}\" fill=\"{}\"><title>{}: {} "
            "{:g}</title></rect>\n",
            left + bar * static_cast<double>(s), y_of(*value), std::round(10 * bar) / 10 - 1,
            kTop + kHeight - y_of(*value), chart_colour(s), svg_escaped(groups[g].name), svg_escaped(series[s]),
            *value);
    text += fmt::format("<text transform=\"translate({:.1f},{:.0f}) rotate(-40)\" text-anchor=\"end\">{}</text>\n",
                        left + (group_width - gap) / 2 + 4, kTop + kHeight + 14, svg_escaped(groups[g].name));
  }
  return text + "</svg>\n";
}

}  // namespace octet
