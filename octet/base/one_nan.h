// one_nan.h: results that are not a number have the same bits everywhere.
//
// Which of two NaNs an operation returns depends on the processor, the compiler and the order of the operands. Engines
// replace every NaN of their outputs with the quiet NaN without sign and payload.
#pragma once

#include <cstddef>
#include <span>

#include "octet/base/tensor.h"

namespace octet {

void unify_nans(DType dtype, std::span<std::byte> elements);

// The tensor itself where it has no other NaN.
Tensor with_one_nan(const Tensor& tensor);

}  // namespace octet
