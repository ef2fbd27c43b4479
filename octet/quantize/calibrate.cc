#include "octet/quantize/calibrate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "octet/base/fail.h"

namespace octet {
namespace {

constexpr std::array<std::pair<std::string_view, Calibration>, 5> kNames = {{
    {"minmax", Calibration::kMinMax},
    {"moving-average", Calibration::kMovingAverage},
    {"percentile", Calibration::kPercentile},
    {"entropy", Calibration::kEntropy},
    {"mse", Calibration::kSquaredError},
}};

// Nothing when there is a NaN or an infinity. Lanes of their own let the compiler use vectors.
std::optional<Range> finite_range(std::span<const float> values) {
  constexpr std::size_t kLanes = 16;
  constexpr std::uint32_t kExponent = 0x7F800000;
  std::array<float, kLanes> low, high;
  low.fill(values[0]);
  high.fill(values[0]);
  std::array<std::uint32_t, kLanes> broken = {};
  const auto see = [&](std::size_t lane, float value) {
    low[lane] = value < low[lane] ? value : low[lane];
    high[lane] = value > high[lane] ? value : high[lane];
    broken[lane] |= (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent;
  };
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) see(lane, values[i + lane]);
  for (; i < values.size(); ++i) see(0, values[i]);
  if (std::any_of(broken.begin(), broken.end(), [](std::uint32_t bit) { return bit != 0; })) return std::nullopt;
  return Range{*std::min_element(low.begin(), low.end()), *std::max_element(high.begin(), high.end())};
}

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
  const auto numbers = values.as<float>();
  const std::int64_t samples = values.rank() == 0 ? 1 : values.shape()[0];
  const std::size_t per_sample = numbers.size() / static_cast<std::size_t>(samples);
  Seen& seen = seen_[tensor];
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::optional<Range> found =
        finite_range(numbers.subspan(static_cast<std::size_t>(i) * per_sample, per_sample));
    if (!found) fail(ErrorCode::kModel, "tensor {} is NaN or infinite for sample {}", tensor, seen.samples + 1);
    const Range range = *found;
    seen.range = seen.samples == 0 ? range : widened(seen.range, range);
    seen.sum_min += static_cast<double>(range.min);
    seen.sum_max += static_cast<double>(range.max);
    ++seen.samples;
  }
  if (needs_histogram(options_.method)) seen.histogram.add(numbers);
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
