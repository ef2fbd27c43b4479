// view.h: tensors seen through strides, and copies between such views.
//
// Transposing, slicing, repeating, concatenating and splitting are all one copy between two views.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "octet/base/parallel.h"
#include "octet/base/tensor.h"
#include "octet/spec/operator.h"

namespace octet {

// Element (i0, i1, ...) lies at offset + i0 * strides[0] + i1 * strides[1] + ...
struct View {
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;
};

// Copies element i of the one view to element i of the other, for every index i of `shape`. Both tensors are of one
// type; the elements written are distinct.
void copy_elements(const Parallel& parallel, const Shape& shape, const Tensor& from, const View& from_view, Tensor& to,
                   const View& to_view);

// The call's first output is its first input, seen as `shape`, with axis k taken from axis order[k].
void copy_permuted(Call& call, const Shape& shape, std::span<const std::size_t> order);

}  // namespace octet
