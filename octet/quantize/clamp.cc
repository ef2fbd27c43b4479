#include "octet/quantize/clamp.h"

#include <cmath>

#include "octet/graph/lookup.h"
#include "octet/spec/clip_bounds.h"
#include "octet/spec/requantize.h"

namespace octet {

ClampBounds clamp_bounds(const Model& model, const Node& clamp) {
  if (is(clamp, ops::kRelu)) return {0.0F, std::nullopt};
  const auto bounds = clip_bounds(clamp.attributes, model.opset(clamp),
                                  [&](std::size_t i) { return i < clamp.inputs.size() && !clamp.inputs[i].empty(); });
  const auto value_of = [&](const ClipBound& bound) -> std::optional<float> {
    if (!bound.input) return bound.attribute;
    const Initializer* constant = find_initializer(model.graph, clamp.inputs[*bound.input]);
    return constant && constant->tensor.size() == 1 ? static_cast<float>(constant->tensor.number_at(0)) : std::nanf("");
  };
  return {value_of(bounds[0]), value_of(bounds[1])};
}

bool is_redundant(const Model& model, const Node& clamp, const Parameters& parameters) {
  const IntegerRange range = integer_range(parameters.dtype);
  const QuantizedOutput output{parameters.zero_points[0], range, ZeroPoint::kAfterRounding};
  const auto becomes = [&](const std::optional<float>& bound, std::int64_t end) {
    return !bound ||
           (!std::isnan(*bound) && quantize_real(*bound / parameters.scales[0], output, Rounding::kTiesEven) == end);
  };
  const ClampBounds bounds = clamp_bounds(model, clamp);
  return becomes(bounds.low, range.min) && becomes(bounds.high, range.max);
}

}  // namespace octet
