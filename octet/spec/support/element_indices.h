// element_indices.h: the indices of GatherElements and ScatterElements: one per element, along one axis.
//
// indices[i, j, k] names the element x[i, indices[i, j, k], k] (for axis 1) of x.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "octet/spec/operator.h"

namespace octet {

// Checks input 1 against input 0: <stem>_c1, indices are int32 or int64; <stem>_c2, axis is within [-rank, rank - 1];
// <stem>_c3, indices have the rank of x and are no longer than x but for the axis; <stem>_c4, indices are within
// [-length, length - 1] of the axis.
void check_element_indices(const Inference& i, std::string_view stem);

// Checks input 2 against both: <stem>_c5, updates have x's type and the shape of indices.
void check_element_updates(const Inference& i, std::string_view stem);

// For every element of input 1, in order: the position in input 0 that it names.
std::vector<std::int64_t> element_positions(const Call& call);

}  // namespace octet
