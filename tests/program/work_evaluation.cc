#include "tests/program/work_evaluation.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "octet/spec/quantized/qlinear_add.h"
#include "octet/spec/quantized/qlinear_mul.h"
#include "octet/spec/quantized/quantize_linear.h"

namespace octet::evaluation {
namespace {

class Finisher {
 public:
  Finisher(const KnownValues& known, std::optional<float> scale) : known_(known), scale_(scale) {}

  void operator()(const work::Requantize& stage, Result& result) const {
    std::vector<Requantizer> requantizers;
    for (const float multiplier : stage.multipliers)
      requantizers.emplace_back(kExactly, multiplier,
                                quantized_output(stage.type, stage.y.zero_point, ZeroPoint::kAfterRounding));
    for (std::size_t k = 0; k < result.integers.size(); ++k)
      result.integers[k] = one_or(requantizers, result.channel(k))(result.integers[k]);
    result.type = stage.type;
  }

  void operator()(const work::ToFloat& stage, Result& result) const {
    std::optional<float> scale = scale_;
    if (stage.scale != kNoValue) scale = known_.at(stage.scale).as<float>()[0];
    for (std::size_t k = 0; k < result.integers.size(); ++k) {
      const float multiplier = one_or(stage.multipliers, result.channel(k));
      float real = static_cast<float>(result.integers[k]) * (scale ? *scale * multiplier : multiplier);
      if (!stage.bias.empty()) real += one_or(stage.bias, result.channel(k));
      result.reals.push_back(real);
    }
    result.type = DType::kFloat;
  }

  void operator()(const work::Limit& stage, Result& result) const {
    for (float& real : result.reals) {
      if (real < stage.low) real = stage.low;
      if (real > stage.high) real = stage.high;
    }
  }

  void operator()(const work::Calculate& stage, Result& result) const {
    for (std::size_t k = 0; k < result.reals.size(); ++k) {
      const float operand = stage.other == kNoValue ? one_or(stage.numbers, result.channel(k))
                                                    : real(known_.at(stage.other), static_cast<std::int64_t>(k));
      const float a = stage.operand_first ? operand : result.reals[k],
                  b = stage.operand_first ? result.reals[k] : operand;
      switch (stage.operation) {
        case work::Calculate::Operation::kAdd: result.reals[k] = a + b; break;
        case work::Calculate::Operation::kSubtract: result.reals[k] = a - b; break;
        case work::Calculate::Operation::kMultiply: result.reals[k] = a * b; break;
        case work::Calculate::Operation::kDivide: result.reals[k] = a / b; break;
      }
    }
  }

  void operator()(const work::Clamp& stage, Result& result) const {
    for (std::int32_t& q : result.integers) q = std::min(std::max(q, stage.low), stage.high);
  }

  void operator()(const work::LookUp& stage, Result& result) const {
    for (std::int32_t& q : result.integers) {
      const std::uint8_t found = stage.table[static_cast<std::uint8_t>(q)];
      q = stage.type == DType::kInt8 ? static_cast<std::int8_t>(found) : static_cast<std::int32_t>(found);
    }
    result.type = stage.type;
  }

  void operator()(const work::Combine& stage, Result& result) const {
    const IntegerRange range = integer_range(result.type);
    const Quantization& first = stage.other_first ? stage.with : stage.q;
    const Quantization& second = stage.other_first ? stage.q : stage.with;
    const QuantizedBinary f = stage.product ? qlinear_mul(first, second, stage.y, range, kExactly)
                                            : qlinear_add(first, second, stage.y, range, kExactly);
    const Tensor& other = known_.at(stage.other);
    for (std::size_t k = 0; k < result.integers.size(); ++k) {
      const auto with = static_cast<std::int32_t>(other.int_at(static_cast<std::int64_t>(k)));
      result.integers[k] = stage.other_first ? f(with, result.integers[k]) : f(result.integers[k], with);
    }
  }

 private:
  const KnownValues& known_;
  std::optional<float> scale_;
};

}  // namespace

std::int64_t product_of(const Shape& shape, std::size_t begin, std::size_t end) {
  return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(begin),
                         shape.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{1}, std::multiplies<>());
}

std::vector<std::int32_t> elements_of(const Tensor& tensor) {
  std::vector<std::int32_t> elements(static_cast<std::size_t>(tensor.size()));
  for (std::size_t k = 0; k < elements.size(); ++k)
    elements[k] = static_cast<std::int32_t>(tensor.int_at(static_cast<std::int64_t>(k)));
  return elements;
}

Tensor tensor_of(DType type, const Shape& shape, const std::vector<std::int32_t>& elements) {
  return convert(Tensor::from<std::int32_t>(shape, std::span<const std::int32_t>(elements)), type);
}

void advance(Shape& index, const Shape& shape) {
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (++index[d] < shape[d]) return;
    index[d] = 0;
  }
}

std::int64_t place_of(const Shape& index, const std::vector<std::int64_t>& strides) {
  return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
}

float real(const Tensor& tensor, std::int64_t k) { return tensor.as<float>()[static_cast<std::size_t>(k)]; }

Tensor Result::tensor() const {
  if (type == DType::kFloat) return Tensor::from<float>(shape, std::span<const float>(reals));
  return tensor_of(type, shape, integers);
}

TensorsById finish(Result result, const std::vector<work::Stage>& epilogue, ValueId y, const KnownValues& known,
                   std::optional<float> scale) {
  const Finisher apply(known, scale);
  for (const work::Stage& stage : epilogue) std::visit([&](const auto& kind) { apply(kind, result); }, stage);
  return {{y, result.tensor()}};
}

}  // namespace octet::evaluation
