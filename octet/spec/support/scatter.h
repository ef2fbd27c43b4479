// scatter.h: what a scattered update does to the element it meets.
//
//   none    y = update              the last of several updates wins
//   add     y = y + update          integers wrap around
//   mul     y = y * update          integers wrap around
//   max     y = max(y, update)
//   min     y = min(y, update)
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "octet/spec/operator.h"

namespace octet {

// Throws kConstraint with `label` unless the attribute `reduction` is one of the above, in the opsets that have it, and
// input 0 is a number where it is not "none".
void check_reduction(const Inference& i, std::string_view label);

// The call's output is its input 0, updated in order: slice n of input 2, of `size` elements, meets the elements from
// positions[n] on.
void scatter(Call& call, std::span<const std::int64_t> positions, std::int64_t size);

}  // namespace octet
