#include "octet/quantize/clamp.h"

#include <cmath>

#include "octet/graph/lookup.h"
#include "octet/spec/requantize.h"

namespace octet {

ClampBounds clamp_bounds(const Graph& graph, const Node& clamp) {
  if (is(clamp, ops::kRelu)) return {0.0F, std::nullopt};
  const auto bound = [&](std::size_t input, const char* attribute) -> std::optional<float> {
    if (clamp.attributes.has(attribute)) return clamp.attributes.get_float(attribute, 0);
    if (input >= clamp.inputs.size() || clamp.inputs[input].empty()) return std::nullopt;
    const Initializer* constant = find_initializer(graph, clamp.inputs[input]);
    return constant && constant->tensor.size() == 1 ? static_cast<float>(constant->tensor.number_at(0)) : std::nanf("");
  };
  return {bound(1, "min"), bound(2, "max")};
}

bool is_redundant(const Graph& graph, const Node& clamp, const Parameters& parameters) {
  const IntegerRange range = integer_range(parameters.dtype);
  const QuantizedOutput output{parameters.zero_points[0], range, ZeroPoint::kAfterRounding};
  const auto becomes = [&](const std::optional<float>& bound, std::int64_t end) {
    return !bound ||
           (!std::isnan(*bound) && quantize_real(*bound / parameters.scales[0], output, Rounding::kTiesEven) == end);
  };
  const ClampBounds bounds = clamp_bounds(graph, clamp);
  return becomes(bounds.low, range.min) && becomes(bounds.high, range.max);
}

}  // namespace octet
