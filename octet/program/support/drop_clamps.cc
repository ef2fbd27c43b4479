// drop_clamps.cc: when a Relu or Clip before QuantizeLinear does nothing that saturation does not do; and when ONNX Runtime
// thinks so, which is something else.
//
// Its optimizer drops a Relu where the zero point is the smallest integer, and a Clip whose bounds come within float's epsilon of
// the numbers that the integers reach, whatever the scale is: a tiny scale makes it drop what does something. What is left by
// then goes only where the operator before it is fused, with scalars for parameters, and bounds that become the ends
// of the type or lie beyond; a bound that is not given counts as float's largest number, which is no int32 by then.
#include <cmath>
#include <limits>

#include "octet/graph/lookup.h"
#include "octet/program/support/patterns.h"

namespace octet {
namespace {

bool has_axes(const Draft& draft, const std::string& constant) {
  return !constant.empty() && !draft.constant(constant)->shape().empty();
}

struct FloatBounds {
  float low, high;
};

FloatBounds given_or_finite(const Draft& draft, const Node& clamp) {
  const auto [low, high] = bounds_of(draft, clamp);
  return {low.value_or(std::numeric_limits<float>::lowest()), high.value_or(std::numeric_limits<float>::max())};
}

bool optimizer_drops(const Draft& draft, const Node& clamp, const Result& result) {
  if (result.zero_point_name.empty()) return false;
  const auto [qmin, qmax] = integer_range(result.dtype);
  const auto [scale, zero_point] = result.quantization;
  if (is(clamp, ops::kRelu)) return zero_point == qmin;
  if (has_axes(draft, result.scale_name) || has_axes(draft, result.zero_point_name)) return false;
  const auto [low, high] = given_or_finite(draft, clamp);
  const float least = scale * static_cast<float>(qmin - zero_point);
  const float greatest = scale * static_cast<float>(qmax - zero_point);
  constexpr float kEpsilon = std::numeric_limits<float>::epsilon();
  return !(kEpsilon < low - least || kEpsilon < greatest - high);  // true for a bound that is NaN
}

// x86 makes INT32_MIN of what is no int32, and sums wrap.
std::int32_t as_x86_quantizes(float bound, const Quantization& quantization) {
  const float quotient = std::nearbyint(bound / quantization.scale);
  const std::int64_t integer =
      std::abs(quotient) < 0x1p31F ? static_cast<std::int64_t>(quotient) : std::numeric_limits<std::int32_t>::min();
  return static_cast<std::int32_t>(integer + quantization.zero_point);
}

bool fusion_drops(const Draft& draft, const Node& clamp, const Result& result) {
  if (has_axes(draft, result.scale_name) || has_axes(draft, result.zero_point_name)) return false;
  const auto [qmin, qmax] = integer_range(result.dtype);
  if (is(clamp, ops::kRelu)) return result.quantization.zero_point == qmin;
  const auto [low, high] = given_or_finite(draft, clamp);
  return as_x86_quantizes(low, result.quantization) <= qmin && as_x86_quantizes(high, result.quantization) >= qmax;
}

}  // namespace

bool saturation_does(const Draft& draft, Policy policy, const Node& clamp, const Result& result) {
  if (policy == Policy::kOnnxRuntime) return fusion_drops(draft, clamp, result);
  const auto [low, high] = integer_bounds(draft, clamp, result);
  const auto [qmin, qmax] = integer_range(result.dtype);
  return low == qmin && high == qmax;
}

void drop_clamps(Draft& draft) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const std::optional<Result> result = result_at(draft, i);
    if (!result) continue;
    const std::optional<std::size_t> before = draft.producer(draft.node(i).inputs[0]);
    if (!before || !is_clamp(draft, *before) || draft.only_reader(draft.node(i).inputs[0]) != i) continue;
    try {
      if (!optimizer_drops(draft, draft.node(*before), *result)) continue;
    } catch (const NotFused&) {
      continue;  // a bound that is computed
    }
    DraftStep step = draft.step(i);
    step.sources.insert(draft.sources(*before).begin(), draft.sources(*before).end());
    step.nodes[0].inputs[0] = draft.node(*before).inputs[0];
    draft.replace(*before, {});
    draft.replace(i, std::move(step));
  }
}

}  // namespace octet
