// one_nan.h: results that are not a number have the same bits everywhere.
//
// Of two NaNs an operation passes on one or the other, by the processor, the compiler and the order of the operands; nobody
// defines which. What engines hand out has the quiet one without a sign or payload for all of them.
#pragma once

#include <cstddef>
#include <span>

#include "octet/base/tensor.h"

namespace octet {

void unify_nans(DType dtype, std::span<std::byte> elements);

// The tensor itself where it has no other NaN.
Tensor with_one_nan(const Tensor& tensor);

}  // namespace octet
