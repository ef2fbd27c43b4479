// patch.h: an input that gives an accumulator: bytes under a window, or in a row, that a layer sums up to it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "octet/base/dtype.h"

namespace octet {

// Some x with Sum x[k] * weights[k] = sum, each x in the range; nothing where none was found. All x go about the same
// way from one end of what can be reached to the other, so that each can move either way; then the greatest weights take
// what is left, and what these can't take is looked for among combinations of a few weights. Near the ends, where no x
// can move, there may be none.
std::optional<std::vector<std::int32_t>> patch_for(std::span<const std::int32_t> weights, const IntegerRange& range,
                                                   std::int64_t sum);

}  // namespace octet
