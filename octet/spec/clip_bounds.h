// clip_bounds.h: where Clip has its bounds: in attributes before opset 11, in inputs since. What the other place holds says
// nothing.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "octet/spec/attributes.h"

namespace octet {

// One of the two, or neither: there is no bound.
struct ClipBound {
  std::optional<float> attribute;
  std::optional<std::size_t> input;  // its number
};

// The lower and the upper one. `has_input(i)`: whether input i is given.
template <typename HasInput>
std::array<ClipBound, 2> clip_bounds(const Attributes& attributes, int opset, const HasInput& has_input) {
  constexpr int kBoundsAreInputs = 11;
  constexpr const char* kNames[] = {"min", "max"};
  std::array<ClipBound, 2> bounds;
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    if (opset >= kBoundsAreInputs && has_input(k + 1)) bounds[k].input = k + 1;
    if (opset < kBoundsAreInputs && attributes.has(kNames[k])) bounds[k].attribute = attributes.get_float(kNames[k], 0);
  }
  return bounds;
}

}  // namespace octet
