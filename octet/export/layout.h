// layout.h: the order in which the elements of images and weights stand in a file.
//
//   chw   as ONNX has it: activations [N, C, H, W], weights [M, C, kh, kw]
//   hwc   channels last: [N, H, W, C] and [M, kh, kw, C]
//
// Axis 1 is the channel of tensors with three axes or more; others are the same in both.
#pragma once

#include <string_view>
#include <vector>

#include "octet/base/tensor.h"

namespace octet {

enum class Layout { kChw, kHwc };

std::string_view name(Layout layout);
// Throws kUsage for an unknown name, listing the known ones.
Layout layout_named(std::string_view name);

// The axes of a tensor in the order of a file: {0, 2, 3, 1} for four of them in hwc.
std::vector<std::size_t> stored_axes(Layout layout, std::size_t rank);
Shape stored_shape(Layout layout, const Shape& shape);

// From row-major order to that of a file, and back: `stored` has the elements of a file, `shape` is the tensor's own.
Tensor to_stored(Layout layout, const Tensor& tensor);
Tensor from_stored(Layout layout, const Tensor& stored, const Shape& shape);

}  // namespace octet
