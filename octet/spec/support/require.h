// require.h: the checks on shapes that shape rules share. What is not known passes, and so does an absent input.
#pragma once

#include <cstddef>
#include <string_view>

#include "octet/spec/operator.h"

namespace octet {

// Throws kConstraint with `label` unless input `index` has this rank.
void require_rank(const Inference& i, std::size_t index, std::size_t rank, std::string_view label);

// Throws kConstraint with `label` unless input `index` has this shape, each dimension as far as it is known.
void require_shape(const Inference& i, std::size_t index, const SymbolicShape& wanted, std::string_view label);

}  // namespace octet
