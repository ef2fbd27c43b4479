// matmul_shape.h: the shape rule of MatMul and its quantized relatives, which is numpy.matmul's.
//
//   a is [batch..., M, K], b is [batch..., K, N], y is [batch..., M, N]; the batches broadcast
//
// A vector a is one row and a vector b one column; y then lacks that dimension.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "octet/base/dim.h"
#include "octet/base/shape.h"

namespace octet {

// The shape of y as far as it is known. Throws kConstraint with `label` when a or b is a scalar, K differs, or the
// batches don't broadcast.
std::optional<SymbolicShape> infer_matmul(const std::optional<SymbolicShape>& a, const std::optional<SymbolicShape>& b,
                                          std::string_view label);

// The shape of `a` or `b` with a vector made a matrix.
Shape matmul_left(Shape a);
Shape matmul_right(Shape b);

// Where the matrices of shapes that passed the rule are.
class MatMulLayout {
 public:
  MatMulLayout(const Shape& a, const Shape& b);

  std::int64_t m, k, n;
  std::int64_t batches;

  // Which matrix of a, and which of b, make matrix `batch` of y.
  struct Operands {
    std::int64_t a, b;
  };
  Operands operands(std::int64_t batch) const;

 private:
  Shape batch_;
  std::vector<std::int64_t> a_strides_, b_strides_;
};

}  // namespace octet
