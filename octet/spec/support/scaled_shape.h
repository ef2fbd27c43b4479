// scaled_shape.h: axes resized by a scale: output = floor(input * scale), the product in float32.
#pragma once

#include <cstdint>
#include <string_view>

#include "octet/base/dim.h"
#include "octet/spec/support/resample.h"

namespace octet {

// The most elements that an axis is resized to: each has its table of neighbours.
inline constexpr std::int64_t kMostResized = std::int64_t{1} << 28;

// Throws kConstraint with `label` unless the scale is positive and the output at most kMostResized.
std::int64_t scaled_size(std::int64_t input, float scale, std::string_view label);

// The same for a dimension: a scale of 1 keeps what is not known.
Dim scaled_dim(const Dim& input, float scale, std::string_view label);

ResampledAxis scaled_axis(std::int64_t input, float scale, std::string_view label);

}  // namespace octet
