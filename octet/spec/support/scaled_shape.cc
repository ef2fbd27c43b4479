#include "octet/spec/support/scaled_shape.h"

#include <cmath>

#include "octet/spec/check.h"

namespace octet {

std::int64_t scaled_size(std::int64_t input, float scale, std::string_view label) {
  if (!(scale > 0)) fail_constraint(label, "scale {}, wanted more than 0", scale);
  const float output = std::floor(static_cast<float>(input) * scale);
  if (!(output <= static_cast<float>(kMostResized)))
    fail_constraint(label, "{} elements scaled by {}, wanted at most {}", input, scale, kMostResized);
  return static_cast<std::int64_t>(output);
}

Dim scaled_dim(const Dim& input, float scale, std::string_view label) {
  if (scale == 1) return input;
  if (input.known()) return scaled_size(input.value(), scale, label);
  scaled_size(0, scale, label);
  return {};
}

ResampledAxis scaled_axis(std::int64_t input, float scale, std::string_view label) {
  return {.input = input,
          .output = scaled_size(input, scale, label),
          .scale = scale,
          .resized = static_cast<float>(input) * scale};
}

}  // namespace octet
