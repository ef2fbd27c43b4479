// integer_matmul.h: the sums under MatMulInteger, QLinearMatMul, QGemm, MatMulIntegerToFloat and DynamicQuantizeMatMul.
//
//   acc[.., i, o] = bias[i, o] + Sum_k (a[.., i, k] - za[.., i]) * (b[.., k, o] - zb[.., o])
//
// Equation (8) of docs/quantization/derivation.md:
// k ascending, starting from the bias, in the arithmetic's accumulator (accumulator.h). Exact in 32 bits while
// K <= 33025 and there is no bias: each product lies within [-65025, 65025] and 33025 * 65025 < 2^31.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "octet/base/parallel.h"
#include "octet/spec/matmul_shape.h"
#include "octet/spec/operator.h"

namespace octet {

// The rows of the left operand and the columns of the right one are what scales and zero points may differ along.
enum class Line { kRow, kColumn };

// A parameter of an operand [batch..., rows, columns] has one element for all; or is a vector with one for each line;
// or has the operand's rank, with 1 across the lines: [batch..., M, 1] for rows, [batch..., 1, N] for columns, where a
// batch dimension may be 1. Throws kConstraint with `label` for any other; an absent parameter passes.
void require_lines(const Inference& i, std::size_t parameter, std::size_t operand, Line line, std::string_view label);

// Which element of such a parameter belongs to line `line` of matrix `matrix`.
class LineIndex {
 public:
  LineIndex() = default;  // one for all
  LineIndex(const Shape& parameter, const Shape& operand, Line line);
  std::size_t operator()(std::int64_t matrix, std::int64_t line) const;

 private:
  Shape batch_;
  std::vector<std::int64_t> batch_strides_;
  std::int64_t line_stride_ = 0;
};

template <typename T>
struct LineParameter {
  std::vector<T> values;  // none means 0
  LineIndex index;

  T at(std::int64_t matrix, std::int64_t line) const { return values.empty() ? T(0) : values[index(matrix, line)]; }
};

// The parameter in input `parameter`, which require_lines has passed, of the operand in input `operand`.
LineParameter<float> line_scales(const Call& call, std::size_t parameter, std::size_t operand, Line line);
LineParameter<std::int32_t> line_zero_points(const Call& call, std::size_t parameter, std::size_t operand, Line line);

// An operand's numbers less their zero points, [matrix][line][k], lines padded with zeros (padded_length in
// accumulator.h). A vector is one line.
struct IntegerLines {
  DType dtype;
  std::vector<std::int32_t> zero_points;
  std::vector<std::int16_t> numbers;
};
IntegerLines lines_of(const Tensor& operand, Line line, const LineParameter<std::int32_t>& zero_points);

// What the accumulators start from: values[m * row_stride + n * column_stride], or 0 where there are none.
struct IntegerBias {
  std::span<const std::int32_t> values = {};
  std::int64_t row_stride = 0, column_stride = 0;
};

// Calls store(batch, m, accumulators) for every row of every product, accumulators[n] for each column; rows come from
// several threads in any order. `a` and `b` are lines_of the operands' rows and columns.
void multiply_integers(
    const MatMulLayout& layout, const IntegerLines& a, const IntegerLines& b, const IntegerBias& bias,
    const Arithmetic& arithmetic, const Parallel& parallel,
    const std::function<void(std::int64_t batch, std::int64_t m, std::span<const std::int32_t> accumulators)>& store);

}  // namespace octet
