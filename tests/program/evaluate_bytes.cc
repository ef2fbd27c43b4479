#include <vector>

#include "octet/spec/quantized/dequantize_linear.h"
#include "octet/spec/quantized/dynamic_quantize_linear.h"
#include "octet/spec/quantized/qlinear_add.h"
#include "octet/spec/quantized/qlinear_mul.h"
#include "octet/spec/quantized/qlinear_softmax.h"
#include "octet/spec/quantized/quantize_linear.h"
#include "tests/program/work_evaluation.h"

namespace octet::evaluation {
namespace {

std::byte& byte(Tensor& tensor, std::int64_t k) { return tensor.mutable_bytes()[static_cast<std::size_t>(k)]; }

std::byte looked_up(const LookupTable& table, const Tensor& x, std::int64_t k) {
  return static_cast<std::byte>(table[static_cast<std::size_t>(x.bytes()[static_cast<std::size_t>(k)])]);
}

template <typename Border>
Quantization parameters(const Border& work, const Shape& shape, std::int64_t k) {
  const auto axis = static_cast<std::size_t>(work.axis);
  const std::int64_t channel =
      work.scales.size() == 1 ? 0 : k / product_of(shape, axis + 1, shape.size()) % shape[axis];
  return {one_or(work.scales, channel), one_or(work.zero_points, channel)};
}

}  // namespace

TensorsById evaluate(const work::Pairwise& work, const KnownValues& known) {
  const Tensor &a = known.at(work.a), &b = known.at(work.b);
  Result result{.shape = broadcast(a.shape(), b.shape()).value(), .type = a.dtype()};
  const std::vector<std::int64_t> a_strides = broadcast_strides(a.shape(), result.shape),
                                  b_strides = broadcast_strides(b.shape(), result.shape);
  const IntegerRange range = integer_range(a.dtype());
  const Quantization& first = work.swapped ? work.b_meaning : work.a_meaning;
  const Quantization& second = work.swapped ? work.a_meaning : work.b_meaning;
  const QuantizedBinary f = work.product ? qlinear_mul(first, second, work.y_meaning, range, kExactly)
                                         : qlinear_add(first, second, work.y_meaning, range, kExactly);
  Shape index(result.shape.size(), 0);
  for (std::int64_t k = element_count(result.shape); k-- > 0; advance(index, result.shape)) {
    const auto p = static_cast<std::int32_t>(a.int_at(place_of(index, a_strides))),
               q = static_cast<std::int32_t>(b.int_at(place_of(index, b_strides)));
    result.integers.push_back(work.swapped ? f(q, p) : f(p, q));
  }
  return finish(std::move(result), work.epilogue, work.y, known);
}

TensorsById evaluate(const work::Concatenation& work, const KnownValues& known) {
  const auto axis = static_cast<std::size_t>(work.axis);
  Shape shape = known.at(work.parts.front().x).shape();
  shape[axis] = 0;
  for (const work::Concatenation::Part& part : work.parts) shape[axis] += known.at(part.x).shape()[axis];
  Tensor y(known.at(work.parts.front().x).dtype(), shape);
  const std::int64_t outer = product_of(shape, 0, axis), inner = product_of(shape, axis + 1, shape.size());
  std::int64_t before = 0;
  for (const work::Concatenation::Part& part : work.parts) {
    const Tensor& x = known.at(part.x);
    const std::int64_t length = x.shape()[axis] * inner;
    for (std::int64_t k = 0; k < outer; ++k)
      for (std::int64_t i = 0; i < length; ++i)
        byte(y, k * shape[axis] * inner + before + i) = looked_up(part.table, x, k * length + i);
    before += length;
  }
  return {{work.y, y}};
}

TensorsById evaluate(const work::Selection& work, const KnownValues& known) {
  const Tensor &condition = known.at(work.condition), &a = known.at(work.a.x), &b = known.at(work.b.x);
  const Shape shape = broadcast(broadcast(a.shape(), b.shape()).value(), condition.shape()).value();
  const std::vector<std::int64_t> a_strides = broadcast_strides(a.shape(), shape),
                                  b_strides = broadcast_strides(b.shape(), shape),
                                  strides = broadcast_strides(condition.shape(), shape);
  Tensor y(a.dtype(), shape);
  Shape index(shape.size(), 0);
  for (std::int64_t k = 0; k < y.size(); ++k, advance(index, shape))
    byte(y, k) = condition.int_at(place_of(index, strides)) != 0
                     ? looked_up(work.a.table, a, place_of(index, a_strides))
                     : looked_up(work.b.table, b, place_of(index, b_strides));
  return {{work.y, y}};
}

TensorsById evaluate(const work::Table& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
  Tensor y(work.output, x.shape());
  for (std::int64_t k = 0; k < y.size(); ++k) byte(y, k) = looked_up(work.bytes, x, k);
  return {{work.y, y}};
}

TensorsById evaluate(const work::ChannelTables& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
  Tensor y(work.output, x.shape());
  const std::int64_t run = element_count(std::span(x.shape()).subspan(static_cast<std::size_t>(work.axis) + 1));
  for (std::int64_t k = 0; k < y.size(); ++k)
    byte(y, k) = looked_up(work.tables[static_cast<std::size_t>(k / run) % work.tables.size()], x, k);
  return {{work.y, y}};
}

TensorsById evaluate(const work::Softmax& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
  const auto axis = static_cast<std::size_t>(work.axis);
  const Shape& shape = x.shape();
  const std::int64_t inner = work.flattens ? 1 : product_of(shape, axis + 1, shape.size());
  const std::int64_t length = work.flattens ? product_of(shape, axis, shape.size()) : shape[axis];
  std::vector<std::int32_t> elements = elements_of(x), row(static_cast<std::size_t>(length));
  const QLinearSoftmax softmax(work.x_meaning.scale, work.y_meaning, x.dtype(), length, kExactly);
  for (std::int64_t outer = 0; outer < product_of(shape, 0, axis); ++outer)
    for (std::int64_t i = 0; i < inner; ++i) {
      const auto element = [&](std::int64_t d) -> std::int32_t& {
        return elements[static_cast<std::size_t>((outer * length + d) * inner + i)];
      };
      for (std::int64_t d = 0; d < length; ++d) row[static_cast<std::size_t>(d)] = element(d);
      softmax(row, row);
      for (std::int64_t d = 0; d < length; ++d) element(d) = row[static_cast<std::size_t>(d)];
    }
  return {{work.y, tensor_of(x.dtype(), shape, elements)}};
}

TensorsById evaluate(const work::Quantize& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
  const DType type = known.values[work.y].dtype;
  std::vector<std::int32_t> elements;
  for (std::int64_t k = 0; k < x.size(); ++k)
    elements.push_back(quantize_linear(x.as<float>()[static_cast<std::size_t>(k)], parameters(work, x.shape(), k),
                                       integer_range(type)));
  return {{work.y, tensor_of(type, x.shape(), elements)}};
}

TensorsById evaluate(const work::Dequantize& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
  Tensor y(DType::kFloat, x.shape());
  for (std::int64_t k = 0; k < x.size(); ++k)
    y.mutable_as<float>()[static_cast<std::size_t>(k)] =
        dequantize_linear(static_cast<std::int32_t>(x.int_at(k)), parameters(work, x.shape(), k));
  return {{work.y, y}};
}

TensorsById evaluate(const work::QuantizeDynamically& work, const KnownValues& known) {
  const Tensor& x = known.at(work.x);
  Tensor y(DType::kUint8, x.shape());
  const Quantization found = dynamic_quantize_linear(x.as<float>(), y.mutable_as<std::uint8_t>());
  return {{work.y, y},
          {work.scale, Tensor::scalar(found.scale)},
          {work.zero_point, Tensor::scalar(static_cast<std::uint8_t>(found.zero_point))}};
}

}  // namespace octet::evaluation
