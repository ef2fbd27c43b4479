#include "octet/spec/quantized/integer_matmul.h"

#include <algorithm>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/quantized/parameters.h"
#include "octet/spec/support/grain.h"
#include "octet/spec/with_products.h"

namespace octet {
namespace {

Shape matrices(const Shape& operand, Line line) {
  return line == Line::kRow ? matmul_left(operand) : matmul_right(operand);
}

bool one_element(const SymbolicShape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim.is(1); });
}

}  // namespace

void require_lines(const Inference& i, std::size_t parameter, std::size_t operand, Line line, std::string_view label) {
  if (!i.has_shape(parameter)) return;
  const SymbolicShape& found = i.shape(parameter);
  if (one_element(found) || !i.has_shape(operand)) return;
  const SymbolicShape& shape = i.shape(operand);
  const bool vector = shape.size() == 1;
  const std::size_t along = line == Line::kRow ? shape.size() - 2 : shape.size() - 1;
  bool fits = false;
  if (found.size() == 1) {
    fits = !surely_different(found[0], vector ? Dim(1) : shape[along]);
  } else if (!vector && found.size() == shape.size()) {
    fits = true;
    for (std::size_t d = 0; fits && d < found.size(); ++d) {
      if (d == along)
        fits = !surely_different(found[d], shape[d]);
      else if (d + 2 >= found.size())
        fits = !surely_different(found[d], 1);
      else
        fits = !surely_different(found[d], shape[d]) || !surely_different(found[d], 1);
    }
  }
  if (!fits)
    fail_constraint(label, "input {} is {}, wanted one element or one for each {} of input {}, {}", parameter,
                    to_string(found), line == Line::kRow ? "row" : "column", operand, to_string(shape));
}

LineIndex::LineIndex(const Shape& parameter, const Shape& operand, Line line) {
  if (element_count(parameter) == 1) return;
  line_stride_ = 1;
  if (parameter.size() == 1) return;
  const Shape shape = matrices(operand, line);
  batch_.assign(shape.begin(), shape.end() - 2);
  batch_strides_ = broadcast_strides(Shape(parameter.begin(), parameter.end() - 2), batch_);
  // The strides above count matrices of the parameter; each is one line long.
  const std::int64_t lines = parameter[parameter.size() - (line == Line::kRow ? 2 : 1)];
  for (std::int64_t& stride : batch_strides_) stride *= lines;
}

std::size_t LineIndex::operator()(std::int64_t matrix, std::int64_t line) const {
  std::int64_t index = line * line_stride_;
  for (std::size_t axis = batch_.size(); axis-- > 0; matrix /= batch_[axis])
    index += matrix % batch_[axis] * batch_strides_[axis];
  return static_cast<std::size_t>(index);
}

LineParameter<float> line_scales(const Call& call, std::size_t parameter, std::size_t operand, Line line) {
  return {scales_at(call, parameter), LineIndex(call.input(parameter).shape(), call.input(operand).shape(), line)};
}

LineParameter<std::int32_t> line_zero_points(const Call& call, std::size_t parameter, std::size_t operand, Line line) {
  if (!call.has(parameter)) return {};
  return {zero_points_at(call, parameter), LineIndex(call.input(parameter).shape(), call.input(operand).shape(), line)};
}

IntegerLines lines_of(const Tensor& operand, Line line, const LineParameter<std::int32_t>& zero_points) {
  IntegerLines result = {operand.dtype(), zero_points.values, {}};
  if (operand.size() == 0) return result;
  const Shape shape = matrices(operand.shape(), line);
  const std::int64_t rows = shape[shape.size() - 2], columns = shape.back(), count = operand.size() / (rows * columns);
  const std::int64_t lines = line == Line::kRow ? rows : columns, depth = line == Line::kRow ? columns : rows;
  const std::int64_t line_stride = line == Line::kRow ? columns : 1, stride = line == Line::kRow ? 1 : columns;
  result.numbers.resize(static_cast<std::size_t>(count * lines * padded_length(depth)));
  visit_8bit(operand.dtype(), [&]<typename T>() {
    const T* from = operand.as<T>().data();
    std::int16_t* to = result.numbers.data();
    for (std::int64_t matrix = 0; matrix < count; ++matrix, from += rows * columns)
      for (std::int64_t l = 0; l < lines; ++l, to += padded_length(depth)) {
        const std::int32_t zero_point = zero_points.at(matrix, l);
        for (std::int64_t k = 0; k < depth; ++k)
          to[k] = static_cast<std::int16_t>(from[l * line_stride + k * stride] - zero_point);
      }
  });
  return result;
}

void multiply_integers(
    const MatMulLayout& layout, const IntegerLines& a, const IntegerLines& b, const IntegerBias& bias,
    const Arithmetic& arithmetic, const Parallel& parallel,
    const std::function<void(std::int64_t batch, std::int64_t m, std::span<const std::int32_t> accumulators)>& store) {
  const std::int64_t m = layout.m, k = padded_length(layout.k), n = layout.n;
  if (m == 0 || n == 0) return;
  const std::int64_t work = n * std::max<std::int64_t>(k, 1);
  const std::int32_t a_zero_point = a.zero_points.empty() ? 0 : a.zero_points[0];  // runtimes that lose pairs have one
  const WeightLines lines = {b.numbers, k, layout.k, a_zero_point, b.zero_points};
  const bool pairs = a.dtype == DType::kUint8 && b.dtype == DType::kInt8;
  with_products(arithmetic, lines, pairs, [&](const auto& accumulator) {
    parallel.for_each_block(layout.batches * m, kWorkPerBlock / work, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::int32_t> sums(static_cast<std::size_t>(n));
      for (std::int64_t r = begin; r < end; ++r) {
        const std::int64_t batch = r / m, row = r % m;
        const std::int32_t* start = bias.values.empty() ? nullptr : bias.values.data() + row * bias.row_stride;
        for (std::int64_t c = 0; c < n; ++c)
          sums[static_cast<std::size_t>(c)] = start ? start[c * bias.column_stride] : 0;
        const MatMulLayout::Operands operands = layout.operands(batch);
        accumulator.add_products({a.numbers.data() + (operands.a * m + row) * k, 1, n},
                                 {b.numbers.data() + operands.b * n * k, n, 1}, k, sums.data());
        store(batch, row, sums);
      }
    });
  });
}

}  // namespace octet
