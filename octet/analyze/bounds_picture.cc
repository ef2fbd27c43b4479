#include <algorithm>

#include "octet/analyze/bounds_report.h"
#include "octet/base/fail.h"
#include "octet/text/bar_chart.h"

namespace octet {

std::string bounds_picture(const ProvenBounds& found, const Program& program) {
  const std::vector<StepBounds>& bounds = found.steps;
  if (bounds.empty()) fail(ErrorCode::kUsage, "there is no step to draw whose sums have known weights");
  BarChart chart{"Accumulator width of each step", "bits", {"textbook", "proven"}, {}};
  const bool seen =
      std::any_of(bounds.begin(), bounds.end(), [](const StepBounds& b) { return b.observed.has_value(); });
  if (seen) chart.series.emplace_back("seen on data");
  for (const StepBounds& bound : bounds) {
    BarChart::Group group{program.steps[bound.step].name,
                          {double(signed_width(bound.textbook)), double(signed_width(bound.final))}};
    if (seen)
      group.values.push_back(bound.observed ? std::optional<double>(signed_width(*bound.observed)) : std::nullopt);
    chart.groups.push_back(std::move(group));
  }
  return chart.svg();
}

}  // namespace octet
