// softmax_axis.h: the axis of Softmax and LogSoftmax.
//
// From opset 13 on the elements along `axis` are normalized, -1 by default. Before, the input is first flattened to a matrix
// whose columns are the dimensions from `axis` on, 1 by default, and the rows are normalized.
#pragma once

#include <cstdint>

#include "octet/spec/attributes.h"

namespace octet {

struct SoftmaxAxis {
  std::int64_t axis;  // as in the file: a negative one counts from the end
  bool flattens;
};

inline SoftmaxAxis softmax_axis(const Attributes& attributes, int opset) {
  const bool flattens = opset < 13;
  return {attributes.get_int("axis", flattens ? 1 : -1), flattens};
}

}  // namespace octet
