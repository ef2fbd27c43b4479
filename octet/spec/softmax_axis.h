// softmax_axis.h: the axis of Softmax and LogSoftmax.
//
// From opset 13 on the elements along `axis` are normalized, -1 by default. Before, the input is first flattened to a matrix
// whose columns are the dimensions from `axis` on, 1 by default, and the rows are normalized. QLinearSoftmax has the opset as
// an attribute, and an axis whose default is always -1.
#pragma once

#include <cstdint>

#include "octet/spec/attributes.h"
#include "octet/spec/axes.h"

namespace octet {

struct SoftmaxAxis {
  std::int64_t axis;  // as in the file: a negative one counts from the end
  bool flattens;
};

SoftmaxAxis softmax_axis(const Attributes& attributes, int opset);
SoftmaxAxis qlinear_softmax_axis(const Attributes& attributes);

// What is normalized: the lanes along an axis in [0, rank - 1], or the rows from it on.
Lanes softmax_lanes(std::span<const std::int64_t> shape, std::size_t axis, bool flattens);

}  // namespace octet
