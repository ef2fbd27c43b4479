#include "octet/program/support/resolving.h"

namespace octet {

bool is_operation(const Operation& operation, const Operator& op) {
  return operation.op == &op && operation.outputs.size() == 1;
}

const Tensor* float_constant(const Program& program, ValueId value) {
  if (value == kNoValue) return nullptr;
  const Tensor& constant = program.values[value].constant;
  return constant.dtype() == DType::kFloat ? &constant : nullptr;
}

std::vector<float> floats_at(const Program& program, const Operation& operation, Role role, std::size_t n) {
  const Tensor* tensor = find_constant(program, operation, role, n);
  if (!tensor || tensor->dtype() != DType::kFloat) return {};
  return {tensor->as<float>().begin(), tensor->as<float>().end()};
}

std::vector<std::int32_t> integers_at(const Program& program, const Operation& operation, Role role, std::size_t n) {
  std::vector<std::int32_t> result;
  if (const Tensor* tensor = find_constant(program, operation, role, n); tensor && is_integer(tensor->dtype()))
    for (std::int64_t k = 0; k < tensor->size(); ++k) result.push_back(static_cast<std::int32_t>(tensor->int_at(k)));
  return result;
}

std::optional<Quantization> quantization_at(const Program& program, const Operation& operation, Role scale,
                                            Role zero_point, std::size_t n) {
  const std::vector<float> scales = floats_at(program, operation, scale, n);
  const std::vector<std::int32_t> zero_points = integers_at(program, operation, zero_point, n);
  if (scales.size() != 1 || zero_points.size() > 1) return std::nullopt;
  if (zero_points.empty() && input_id(operation, zero_point, n) != kNoValue) return std::nullopt;
  return Quantization{scales[0], zero_points.empty() ? 0 : zero_points[0]};
}

std::optional<Shape> shape_at(const Program& program, ValueId value) {
  if (value == kNoValue || !program.values[value].shape) return std::nullopt;
  return concrete(*program.values[value].shape);
}

}  // namespace octet
