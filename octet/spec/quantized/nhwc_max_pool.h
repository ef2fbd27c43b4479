// nhwc_max_pool.h: the meaning of com.microsoft NhwcMaxPool.
//
//   y[n, i, c] = max over the window of x[n, i * stride + u * dilation - pad, c]
//
// MaxPool of 8-bit numbers whose channels come last: x is [N, D1, ..., C]. ONNX Runtime writes it into files that it has
// optimized. Padding does not take part; the maximum of a window without elements is the type's lowest value. window.h
// says how auto_pad, pads, ceil_mode and the output size follow from one another; with SAME_UPPER or SAME_LOWER and
// strides wider than the kernel the padding is negative: windows start inside the image.
//
//   nhwc_max_pool_c1  x is int8 or uint8.
//   nhwc_max_pool_c2  x has 3 dimensions or more; kernel_shape is given; it, strides, dilations and pads have an entry
//                     for each spatial one, and the window fits the padded input. With SAME_*, dilations are 1.
#pragma once

#include "octet/spec/window.h"

namespace octet {

// The window on an image with these spatial dimensions. Throws kConstraint (c2).
Window nhwc_max_pool_window(const Attributes& attributes, const SymbolicShape& image);

}  // namespace octet
