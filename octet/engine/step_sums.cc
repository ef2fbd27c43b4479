#include "octet/engine/step_sums.h"

#include <cmath>

#include "octet/program/support/sum_layout.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

Tensor apply(std::string_view op, int opset, const Attributes& attributes, const std::vector<Tensor>& inputs) {
  static const Arithmetic arithmetic;
  static const Parallel parallel(0);
  return execute(*find_operator("", op), opset, attributes, inputs, 1, {arithmetic, parallel})[0];
}

// Integers less their zero points, of which there is one or one for each index of `axis`.
Tensor centered(const Tensor& from, const Tensor& zero_points, std::size_t axis) {
  Tensor to(DType::kDouble, from.shape());
  const std::vector<std::int64_t> strides = strides_of(from.shape());
  const std::span<double> out = to.mutable_as<double>();
  for (std::int64_t k = 0; k < from.size(); ++k) {
    const std::int64_t channel = zero_points.size() <= 1 ? 0 : k / strides[axis] % from.shape()[axis];
    const std::int64_t zero_point = zero_points.empty() ? 0 : zero_points.int_at(channel);
    out[static_cast<std::size_t>(k)] = static_cast<double>(from.int_at(k) - zero_point);
  }
  return to;
}

Tensor magnitudes_of(Tensor numbers) {
  for (double& number : numbers.mutable_as<double>()) number = std::abs(number);
  return numbers;
}

}  // namespace

std::optional<StepSums> step_sums(const Program& program, const Step& step, const NamedTensors& inputs) {
  const Operation& operation = step.operations.front();
  const std::string_view op = operation.op->name;
  const SumLayout* layout = find_sum_layout(op);
  if (!layout || op == "DynamicQuantizeMatMul") return std::nullopt;
  const auto input = [&](int index) -> Tensor {
    if (index < 0 || static_cast<std::size_t>(index) >= operation.inputs.size()) return {};
    const ValueId id = operation.inputs[static_cast<std::size_t>(index)];
    if (id == kNoValue) return {};
    if (!program.values[id].constant.empty()) return program.values[id].constant;
    const auto given = inputs.find(program.values[id].name);
    return given == inputs.end() ? Tensor() : given->second;
  };
  const bool convolution = step.kind == StepKind::kConvolution, gemm = op == "QGemm";
  const std::size_t w_axis =
      convolution || (gemm && operation.attributes.get_int("transB", 0) != 0) ? 0 : input(layout->w).shape().size() - 1;
  const Tensor x = centered(input(layout->x), input(layout->x_zero_point), 0);
  const Tensor w = centered(input(layout->w), input(layout->w_zero_point), w_axis);
  Attributes attributes = operation.attributes;
  attributes.erase("alpha");  // it scales the finished sum
  const auto product = [&](const Tensor& a, const Tensor& b) {
    if (convolution) return apply("Conv", 11, attributes, {a, b});
    return gemm ? apply("Gemm", 13, attributes, {a, b}) : apply("MatMul", 13, {}, {a, b});
  };
  StepSums result{product(x, w), product(magnitudes_of(x), magnitudes_of(w)), 0, 1};
  const Shape shape = result.sums.shape();
  result.channels = shape.empty() ? 1 : convolution ? shape[1] : shape.back();
  if (convolution) result.inner = element_count(Shape(shape.begin() + 2, shape.end()));
  Tensor bias = input(layout->bias);
  if (bias.empty()) return result;
  bias = convert(bias, DType::kDouble);
  if (convolution) {
    Shape column(shape.size(), 1);
    column[1] = bias.size();
    bias = bias.reshaped(column);
  }
  result.sums = apply("Add", 14, {}, {result.sums, bias});
  result.magnitudes = apply("Add", 14, {}, {result.magnitudes, magnitudes_of(bias)});
  return result;
}

}  // namespace octet
