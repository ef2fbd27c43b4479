#include "octet/quantize/calibrate.h"

#include <algorithm>
#include <array>
#include <optional>

#include "octet/base/fail.h"
#include "octet/quantize/finite_range.h"

namespace octet {
namespace {

constexpr std::array<std::pair<std::string_view, Calibration>, 5> kNames = {{
    {"minmax", Calibration::kMinMax},
    {"moving-average", Calibration::kMovingAverage},
    {"percentile", Calibration::kPercentile},
    {"entropy", Calibration::kEntropy},
    {"mse", Calibration::kSquaredError},
}};

bool needs_histogram(Calibration method) {
  return method != Calibration::kMinMax && method != Calibration::kMovingAverage;
}

}  // namespace

Calibration calibration_named(std::string_view wanted) {
  for (const auto& [text, calibration] : kNames)
    if (text == wanted) return calibration;
  fail(ErrorCode::kUsage, "there is no calibration named {}; wanted minmax, moving-average, percentile, entropy or mse",
       wanted);
}

std::string_view name(Calibration calibration) {
  return std::find_if(kNames.begin(), kNames.end(), [&](const auto& entry) { return entry.second == calibration; })
      ->first;
}

Calibrator::Calibrator(std::set<std::string> tensors, const CalibrationOptions& options)
    : tensors_(std::move(tensors)), options_(options) {
  if (!(options.percentile > 50 && options.percentile <= 100))
    fail(ErrorCode::kUsage, "percentile {}; wanted more than 50 and at most 100", options.percentile);
}

void Calibrator::observe(const std::string& tensor, const Tensor& values) {
  if (!tensors_.contains(tensor) || values.size() == 0) return;
  see(seen_[tensor], tensor, values);
}

void Calibrator::observe(const std::map<std::string, Tensor>& values, const Parallel& parallel) {
  std::vector<std::pair<Seen*, const std::pair<const std::string, Tensor>*>> work;
  for (const auto& entry : values)
    if (tensors_.contains(entry.first) && entry.second.size() != 0) work.emplace_back(&seen_[entry.first], &entry);
  parallel.for_each_block(static_cast<std::int64_t>(work.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto& [seen, entry] = work[static_cast<std::size_t>(i)];
      see(*seen, entry->first, entry->second);
    }
  });
}

void Calibrator::see(Seen& seen, const std::string& tensor, const Tensor& values) const {
  const auto numbers = values.as<float>();
  const std::int64_t samples = values.rank() == 0 ? 1 : values.shape()[0];
  const std::size_t per_sample = numbers.size() / static_cast<std::size_t>(samples);
  Range whole;
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::optional<Range> range =
        finite_range(numbers.subspan(static_cast<std::size_t>(i) * per_sample, per_sample));
    if (!range) fail(ErrorCode::kModel, "tensor {} is NaN or infinite for sample {}", tensor, seen.samples + 1);
    whole = i == 0 ? *range : widened(whole, *range);
    seen.sum_min += static_cast<double>(range->min);
    seen.sum_max += static_cast<double>(range->max);
    ++seen.samples;
  }
  seen.range = seen.samples == samples ? whole : widened(seen.range, whole);
  if (needs_histogram(options_.method)) seen.histogram.add(numbers, whole);
}

std::map<std::string, Range> Calibrator::ranges() const {
  std::map<std::string, Range> result;
  for (const auto& [tensor, seen] : seen_) {
    const auto samples = static_cast<double>(seen.samples);
    switch (options_.method) {
      case Calibration::kMinMax: result[tensor] = seen.range; break;
      case Calibration::kMovingAverage:
        result[tensor] = {static_cast<float>(seen.sum_min / samples), static_cast<float>(seen.sum_max / samples)};
        break;
      case Calibration::kPercentile: result[tensor] = percentile_range(seen.histogram, options_.percentile); break;
      case Calibration::kEntropy: result[tensor] = entropy_range(seen.histogram); break;
      case Calibration::kSquaredError: result[tensor] = squared_error_range(seen.histogram, options_.encoding); break;
    }
  }
  return result;
}

}  // namespace octet
