// clamp.h: Relu and Clip as bounds, and when saturation makes them redundant.
#pragma once

#include <optional>

#include "octet/graph/model.h"
#include "octet/quantize/parameters.h"

namespace octet {

struct ClampBounds {
  std::optional<float> low, high;  // NaN when the bound is computed, and so not known
};

ClampBounds clamp_bounds(const Model& model, const Node& clamp);

// Whether saturation to `parameters`, those of its result, already does what the clamp does: every number below the
// lower bound becomes qmin anyway, and every number above the upper one qmax.
bool is_redundant(const Model& model, const Node& clamp, const Parameters& parameters);

}  // namespace octet
