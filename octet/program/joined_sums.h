// joined_sums.h: the steps around sums of bytes, which make one sum of numbers of 16 bits (support/fuse_wide_sums.cc).
#pragma once

#include "octet/program/program.h"

namespace octet {

// The move that makes two tensors of bytes of one of 16 bits: several operations, the first a Cast. A Cast of the file is one
// alone.
inline bool takes_bytes(const Step& step) {
  return step.kind == StepKind::kMove && step.operations.size() > 1 && step.operations.front().op->name == "Cast";
}

// A dequantization of several operations: Cast, Mul and Add of accumulators that other steps make, and of constants.
inline bool joins_sums(const Step& step) { return step.kind == StepKind::kDequantize && step.operations.size() > 1; }

}  // namespace octet
