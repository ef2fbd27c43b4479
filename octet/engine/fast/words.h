// words.h: kernels between floats and integers of 16 bits.
#pragma once

#include "octet/engine/fast/kernel.h"

namespace octet::fast {

inline bool has_words(const Operand& operand) {
  return operand.type == DType::kInt16 || operand.type == DType::kUint16;
}

// x and y have the same layout, one is float32, the other has words.
KernelPtr make_word_kernel(const work::Quantize& work, const KernelContext& context);
KernelPtr make_word_kernel(const work::Dequantize& work, const KernelContext& context);

}  // namespace octet::fast
