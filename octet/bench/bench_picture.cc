#include <fmt/core.h>

#include "octet/bench/bench_report.h"
#include "octet/bench/bench_text.h"
#include "octet/text/bar_chart.h"

namespace octet {

std::string bench_picture(const std::vector<Measurement>& measurements, std::string_view model) {
  BarChart chart{fmt::format("{}: time per sample, median", model), "us", {}, {}};
  for (const Standing& standing : measurements.front().standings) chart.series.push_back(standing.facts.name);
  for (const Measurement& measurement : measurements) {
    BarChart::Group& group = chart.groups.emplace_back(BarChart::Group{setting_text(measurement), {}});
    for (const Standing& standing : measurement.standings)
      group.values.push_back(standing.refusal.empty() ? std::optional(1e6 / samples_per_second(measurement, standing))
                                                      : std::nullopt);
  }
  return chart.svg();
}

}  // namespace octet
