// pool_order.h: in which order AveragePool sums a window of float32, as ONNX Runtime does.
#pragma once

#include <cstdint>
#include <span>

#include "octet/spec/window.h"

namespace octet {

enum class PoolOrder {
  kRowMajor,
  kPlane,    // plane_sum (support/lane_sums.h), as GlobalAveragePool
  kColumns,  // down each column first, then the columns from left to right
};

// The order for an operator of this opset. Before 19 ONNX Runtime has other kernels: kPlane where the window is the
// image; kColumns for windows in 2 or 3 dimensions, of up to 32 in each, whose last stride is 1 or 2, on rows of up to
// 2045 elements with their padding.
PoolOrder pool_order(int opset, const Window& window, std::span<const std::int64_t> image);

}  // namespace octet
