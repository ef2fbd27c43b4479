#include "octet/text/line_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "octet/text/chart.h"

namespace octet {

std::string LineChart::svg() const {
  constexpr double kLeft = 52, kTop = 60, kWidth = 560, kHeight = 260, kBelow = 48, kRight = 24;
  std::set<double> places;
  double high = 0, low = 0;
  for (const Series& line : series)
    for (const auto& [x, y] : line.points) {
      places.insert(x);
      high = std::max(high, y);
      low = std::min(low, y);
    }
  const double first = *places.begin(), across = std::max(*places.rbegin() - first, 1e-9);
  const double distance = line_distance(high - low);
  const double top = std::ceil(high / distance) * distance, bottom = std::floor(low / distance) * distance;
  const auto x_of = [&](double x) { return kLeft + kWidth * (x - first) / across; };
  const auto y_of = [&](double y) { return kTop + kHeight * (top - y) / std::max(top - bottom, distance); };
  std::string text = chart_head(kLeft + kWidth + kRight, kTop + kHeight + kBelow, title);
  double legend = kLeft;
  if (series.size() > 1)
    for (std::size_t s = 0; s < series.size(); ++s) text += legend_entry(legend, s + 1, series[s].name);
  for (double y = bottom; y <= top + distance / 2; y += distance)
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:g}</text>\n",
        kLeft, kLeft + kWidth, y_of(y), kLeft - 6, y_of(y) + 4, y);
  const std::size_t every = places.size() / 24 + 1;  // so that the numbers below don't touch
  std::size_t index = 0;
  for (const double x : places)
    if (index++ % every == 0)
      text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:g}</text>\n", x_of(x),
                          kTop + kHeight + 16, x);
  text += fmt::format("<text x=\"8\" y=\"{}\">{}</text>\n<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                      kTop - 8, svg_escaped(y_name), kLeft + kWidth / 2, kTop + kHeight + 38, svg_escaped(x_name));
  for (std::size_t s = 0; s < series.size(); ++s) {
    std::string way, dots;
    for (const auto& [x, y] : series[s].points) {
      way += fmt::format("{}{:.1f},{:.1f}", way.empty() ? "" : " ", x_of(x), y_of(y));
      dots +=
          fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{} {:g}: {:g}</title></circle>\n",
                      x_of(x), y_of(y), chart_colour(s + 1), svg_escaped(series[s].name), x, y);
    }
    text += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n{}", way,
                        chart_colour(s + 1), dots);
  }
  return text + "</svg>\n";
}

}  // namespace octet
