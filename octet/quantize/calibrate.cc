#include "octet/quantize/calibrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "octet/base/fail.h"
#include "octet/quantize/choice_names.h"
#include "octet/quantize/finite_range.h"

namespace octet {
namespace {

bool needs_histogram(Calibration method) {
  return method != Calibration::kMinMax && method != Calibration::kMovingAverage;
}

// The range of numbers among which are infinities; nothing when there is a NaN.
std::optional<Range> infinite_range(std::span<const float> values) {
  if (std::any_of(values.begin(), values.end(), [](float value) { return std::isnan(value); })) return std::nullopt;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return Range{*low, *high};
}

}  // namespace

Calibration calibration_named(std::string_view wanted) {
  for (const auto& [word, calibration] : kChoices<Calibration>)
    if (word == wanted) return calibration;
  fail(ErrorCode::kUsage, "there is no calibration named {}; wanted minmax, moving-average, percentile, entropy or mse",
       wanted);
}

std::string_view name(Calibration calibration) {
  const auto* const entry =
      std::ranges::find(kChoices<Calibration>, calibration, [](const auto& e) { return e.second; });
  return entry->first;
}

std::string to_string(const CalibrationOptions& options) {
  const std::string text(name(options.method));
  return options.method == Calibration::kPercentile ? fmt::format("{} {}", text, options.percentile) : text;
}

void check_percentile(double percentile) {
  if (!(percentile > 50 && percentile <= 100))
    fail(ErrorCode::kUsage, "percentile {}; wanted more than 50 and at most 100", percentile);
}

Calibrator::Calibrator(const std::set<std::string>& tensors, const CalibrationOptions& options,
                       const std::map<std::string, CalibrationOptions>& others) {
  check_percentile(options.percentile);
  for (const std::string& tensor : tensors) {
    const auto other = others.find(tensor);
    seen_[tensor].options = other == others.end() ? options : other->second;
  }
}

void Calibrator::observe(const std::string& tensor, const Tensor& values, const SampleSpan& samples) {
  const auto found = seen_.find(tensor);
  if (found == seen_.end()) return;
  const auto numbers = values.as<float>();
  const std::size_t count = numbers.empty() ? 0 : values.rank() == 0 ? 1 : static_cast<std::size_t>(values.shape()[0]);
  Rows rows{samples, {}};
  Range whole;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = numbers.size() / count;
    std::optional<Range> range = finite_range(numbers.subspan(i * size, size));
    if (!range) {
      range = infinite_range(numbers.subspan(i * size, size));
      if (!range)
        fail(ErrorCode::kModel, "tensor {} is NaN for sample {}", tensor,
             samples.first + static_cast<std::int64_t>(i) * samples.count / static_cast<std::int64_t>(count) + 1);
    }
    whole = i == 0 ? *range : widened(whole, *range);
    rows.ranges.push_back(*range);
  }
  Seen& seen = found->second;
  const std::lock_guard lock(seen.mutex);
  if (needs_histogram(seen.options.method) && is_finite(whole)) seen.histogram.add(numbers, whole);
  seen.add(std::move(rows));
}

void Calibrator::Seen::add(Rows rows_of_samples) {
  waiting.emplace(rows_of_samples.samples.first, std::move(rows_of_samples));
  for (auto next = waiting.begin(); next != waiting.end() && next->first == samples; next = waiting.erase(next)) {
    for (const Range& row : next->second.ranges) {
      range = rows == 0 ? row : widened(range, row);
      sum_min += static_cast<double>(row.min);
      sum_max += static_cast<double>(row.max);
      ++rows;
    }
    samples += next->second.samples.count;
  }
}

std::map<std::string, Range> Calibrator::ranges() const {
  std::map<std::string, Range> result;
  for (const auto& [tensor, seen] : seen_) {
    if (seen.rows == 0) continue;
    if (!is_finite(seen.range)) {
      result[tensor] = seen.range;
      continue;
    }
    const auto rows = static_cast<double>(seen.rows);
    switch (seen.options.method) {
      case Calibration::kMinMax: result[tensor] = seen.range; break;
      case Calibration::kMovingAverage:
        result[tensor] = {static_cast<float>(seen.sum_min / rows), static_cast<float>(seen.sum_max / rows)};
        break;
      case Calibration::kPercentile: result[tensor] = percentile_range(seen.histogram, seen.options.percentile); break;
      case Calibration::kEntropy: result[tensor] = entropy_range(seen.histogram); break;
      case Calibration::kSquaredError:
        result[tensor] = squared_error_range(seen.histogram, seen.options.encoding);
        break;
    }
  }
  return result;
}

}  // namespace octet
