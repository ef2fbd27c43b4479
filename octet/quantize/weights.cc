#include "octet/quantize/weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "octet/base/fail.h"
#include "octet/base/visit.h"
#include "octet/spec/requantize.h"

namespace octet {
namespace {

// Channel of an element: (index / inner) % count.
struct Channels {
  std::int64_t count = 1, inner = 1;

  Channels(const Shape& shape, std::optional<std::int64_t> axis) {
    if (!axis) {
      inner = std::max<std::int64_t>(element_count(shape), 1);
      return;
    }
    count = shape[static_cast<std::size_t>(*axis)];
    inner = element_count(std::span(shape).subspan(static_cast<std::size_t>(*axis) + 1));
  }
  std::size_t of(std::int64_t index) const { return static_cast<std::size_t>(index / inner % count); }
};

}  // namespace

std::vector<Range> ranges_of(const Tensor& weights, std::optional<std::int64_t> axis, const std::string& name) {
  const Channels channels(weights.shape(), axis);
  std::vector<Range> ranges(static_cast<std::size_t>(channels.count));
  std::vector<bool> seen(ranges.size(), false);
  for (std::int64_t i = 0; i < weights.size(); ++i) {
    const auto value = static_cast<float>(weights.number_at(i));
    if (!std::isfinite(value))
      fail(ErrorCode::kModel, "{} has the element {} at index {}; weights must be finite to be quantized", name, value,
           i);
    const std::size_t c = channels.of(i);
    ranges[c] = seen[c] ? widened(ranges[c], {value, value}) : Range{value, value};
    seen[c] = true;
  }
  return ranges;
}

Parameters choose_weight_parameters(const Tensor& weights, std::optional<std::int64_t> axis, const Encoding& encoding,
                                    const std::string& name) {
  Parameters parameters{.dtype = encoding.dtype, .axis = axis};
  for (const Range& range : ranges_of(weights, axis, name)) {
    const auto [scale, zero_point] = choose(range, encoding);
    parameters.scales.push_back(scale);
    parameters.zero_points.push_back(zero_point);
  }
  return parameters;
}

Tensor quantize_constant(const Tensor& values, const Parameters& parameters) {
  const Channels channels(values.shape(), parameters.axis);
  Tensor result = Tensor::uninitialized(parameters.dtype, values.shape());
  const IntegerRange range = integer_range(parameters.dtype);
  visit_integer(parameters.dtype, [&]<typename T>() {
    const auto out = result.mutable_as<T>();
    for (std::int64_t i = 0; i < values.size(); ++i) {
      const std::size_t c = channels.of(i);
      const float t = static_cast<float>(values.number_at(i)) / parameters.scales[c];
      const QuantizedOutput output{parameters.zero_points[c], range, ZeroPoint::kAfterRounding};
      out[static_cast<std::size_t>(i)] = static_cast<T>(quantize_real(t, output, Rounding::kTiesEven));
    }
  });
  return result;
}

int fit_scales_to_bias(Parameters& weights, const Tensor& bias, float x_scale, ScaleForm form) {
  constexpr double kIntegers = 4294967294.0;  // 2^32 - 2
  std::vector<float> largest(weights.scales.size(), 0.0F);
  for (std::int64_t i = 0; i < bias.size(); ++i) {
    float& most = largest[weights.scales.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    most = std::max(most, std::fabs(static_cast<float>(bias.number_at(i))));
  }
  int raised = 0;
  for (std::size_t c = 0; c < weights.scales.size(); ++c) {
    const double span = weights.axis ? static_cast<double>(1.0001F * (2.0F * largest[c]))
                                     : 1.0001 * (2.0 * static_cast<double>(largest[c]));
    const double least = span / kIntegers;
    const double w_scale = static_cast<double>(weights.scales[c]);
    const double bias_scale = static_cast<double>(x_scale) * w_scale;
    if (bias_scale >= least) continue;
    weights.scales[c] = static_cast<float>(in_form(w_scale * (least / bias_scale), form));
    ++raised;
  }
  return raised;
}

QuantizedBias quantize_bias(const Tensor& bias, float x_scale, const Parameters& weights, float beta) {
  QuantizedBias result{.values = Tensor::uninitialized(DType::kInt32, bias.shape())};
  for (float w_scale : weights.scales) result.scales.push_back(x_scale * w_scale * beta);
  const auto out = result.values.mutable_as<std::int32_t>();
  for (std::int64_t i = 0; i < bias.size(); ++i) {
    const float scale = result.scales[result.scales.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    const double t = std::clamp(bias.number_at(i) / static_cast<double>(scale),
                                static_cast<double>(std::numeric_limits<std::int32_t>::min()),
                                static_cast<double>(std::numeric_limits<std::int32_t>::max()));
    out[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(round_ties_even(t));
  }
  return result;
}

}  // namespace octet
