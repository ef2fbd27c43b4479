#include "octet/engine/step_sums.h"

#include <cmath>

#include "octet/spec/registry.h"

namespace octet {
namespace {

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

std::optional<StepSums> step_sums(const Program& program, const Step& step, const NamedTensors& inputs,
                                  const Parallel& parallel) {
  const Operation& operation = step.operations.front();
  const auto* matrices = std::get_if<work::MatrixProduct>(&step.work);
  if (!sum_of(step.work) || (matrices && matrices->quantizes_x)) return std::nullopt;
  const auto input = [&](Role role) -> Tensor {
    const ProgramValue* value = find_input(program, operation, role);
    if (!value) return {};
    if (!value->constant.empty()) return value->constant;
    const auto given = inputs.find(value->name);
    return given == inputs.end() ? Tensor() : given->second;
  };
  const bool convolution = !matrices, turned = matrices && (matrices->x_transposed || matrices->w_transposed);
  const std::size_t w_axis = convolution || matrices->w_transposed ? 0 : input(Role::kW).shape().size() - 1;
  const Tensor x = centered(input(Role::kX), input(Role::kXZeroPoint), 0);
  const Tensor w = centered(input(Role::kW), input(Role::kWZeroPoint), w_axis);
  Attributes attributes = operation.attributes;
  attributes.erase("alpha");  // it scales the finished sum
  const Arithmetic arithmetic;
  const auto apply = [&](std::string_view plain, int opset, const Attributes& with, const std::vector<Tensor>& to) {
    return execute(*find_operator("", plain), opset, with, to, 1, {arithmetic, parallel})[0];
  };
  const auto product = [&](const Tensor& a, const Tensor& b) {
    if (convolution) return apply("Conv", 11, attributes, {a, b});
    return turned ? apply("Gemm", 13, attributes, {a, b}) : apply("MatMul", 13, {}, {a, b});
  };
  StepSums result{product(x, w), product(magnitudes_of(x), magnitudes_of(w))};
  const Shape& weights = w.shape();
  if (convolution)
    result.products = element_count(Shape(weights.begin() + 1, weights.end()));
  else
    result.products = weights.size() == 1 ? weights[0] : weights[weights.size() - (matrices->w_transposed ? 1 : 2)];
  const Shape shape = result.sums.shape();
  result.channels = shape.empty() ? 1 : convolution ? shape[1] : shape.back();
  if (convolution) result.inner = element_count(Shape(shape.begin() + 2, shape.end()));
  Tensor bias = input(Role::kBias);
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
