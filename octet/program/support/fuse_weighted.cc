// fuse_weighted.cc: Conv, MatMul and Gemm on integers.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "octet/graph/lookup.h"
#include "octet/program/support/float_limits.h"
#include "octet/program/support/sum_limits.h"
#include "octet/program/support/weighted.h"

namespace octet {

void require_result_type(Policy policy, const Operand& x, const Result& result) {
  if (result.dtype != x.dtype)
    throw NotFused{fmt::format("the result is {} and the input {}: no kernel writes another type than it reads",
                               name(result.dtype), name(x.dtype))};
  if (policy == Policy::kOnnxRuntime && x.dtype == DType::kInt8)
    throw NotFused{"ONNX Runtime on x86 does not fuse int8 activations"};
}

void require_kernel(const Operand& x, const Operand& w) {
  if (x.dtype == DType::kInt8 && w.dtype == DType::kUint8)
    throw NotFused{fmt::format("no kernel multiplies int8 ({}) by uint8 ({})", x.integers, w.integers)};
}

void require_sums_in_float(Policy policy, const Operand& x, const Operand& w, float alpha, const Result* result) {
  if (policy != Policy::kExact) return;
  for (const Operand* operand : {&x, &w}) require_finite(*operand);
  for (const float scale : w.scales)
    require_sums({x.scales[0], scale, alpha}, result ? &result->quantization : nullptr);
}

void require_channel_axis(const Draft& draft, const Operand& w, std::int64_t axis) {
  if (!w.axis || *w.axis == axis) return;
  const auto fact = draft.facts().find(w.integers);
  if (fact != draft.facts().end() && fact->second.shape &&
      *w.axis + (*w.axis < 0 ? static_cast<std::int64_t>(fact->second.shape->size()) : 0) == axis)
    return;
  throw NotFused{
      fmt::format("{} has its scales along axis {}, and its output channels are axis {}", w.integers, *w.axis, axis)};
}

Operand columns_operand(Draft& draft, const Node& node, std::int64_t axis, Scales scales) {
  Operand b = operand_at(draft, node, 1, scales);
  require_8bit(b, "operand");
  require_channel_axis(draft, b, axis);
  if (b.axis) {
    const auto fact = draft.facts().find(b.integers);
    if (fact == draft.facts().end() || !fact->second.shape || fact->second.shape->size() != 2)
      throw NotFused{fmt::format("{} has scales per column and is not a matrix", b.integers)};
  }
  return b;
}

namespace {

// 1 ULP: products of two scales that were rounded differently.
bool nearly_equal(float a, float b) { return a == b || std::nextafter(a, b) == b; }

void check_bias_scale(Policy policy, const Operand& bias, const Operand& x, const Operand& w, bool checked_by_runtime,
                      std::vector<std::string>& warnings) {
  const std::size_t channels = std::max(bias.scales.size(), w.scales.size());
  for (const std::size_t count : {bias.scales.size(), w.scales.size()})
    if (count != 1 && count != channels)
      throw NotFused{fmt::format("{} has {} scales and {} has {}", bias.integers, bias.scales.size(), w.integers,
                                 w.scales.size())};
  float worst = 0, found = 0, wanted = 0;
  for (std::size_t m = 0; m < channels; ++m) {
    const float product = x.scales[0] * w.scales[w.scales.size() == 1 ? 0 : m];
    const float scale = bias.scales[bias.scales.size() == 1 ? 0 : m];
    const float off = std::abs(scale / product - 1);
    if (!nearly_equal(scale, product) && !(off <= worst)) worst = off, found = scale, wanted = product;
    // ONNX Runtime's own tolerance.
    if (policy == Policy::kOnnxRuntime && checked_by_runtime &&
        !(std::abs(scale - product) <= 1e-6F + 0.01F * std::abs(product)))
      throw NotFused{fmt::format("bias scale {} is {:.2g} % off x_scale * w_scale = {}", scale, off * 100, product)};
  }
  if (worst == 0) return;
  const std::string what =
      fmt::format("bias scale {} is {:.2g} % off x_scale * w_scale = {}", found, worst * 100, wanted);
  if (policy == Policy::kExact) throw NotFused{what};
  warnings.push_back(what + ", and is ignored");
}

// A float bias that is, to the last bit, what DequantizeLinear makes of integers in units of the accumulator; else throws
// NotFused. Up to 2^24 the integer is the only one.
Tensor integer_bias(const std::string& name, const Tensor& real, const Operand& x, const Operand& w) {
  Tensor integers(DType::kInt32, real.shape());
  for (std::size_t m = 0; m < static_cast<std::size_t>(real.size()); ++m) {
    const float scale = x.scales[0] * w.scales[w.scales.size() == 1 ? 0 : m], value = real.as<float>()[m];
    const float quotient = value / scale;
    const std::int64_t integer = std::abs(quotient) <= 0x1p24F ? round_ties_even(quotient) : 0;
    if (static_cast<float>(integer) * scale != value)
      throw NotFused{fmt::format("the float bias {}[{}] = {} is no integer in units of x_scale * w_scale = {}", name, m,
                                 value, scale)};
    integers.mutable_as<std::int32_t>()[m] = static_cast<std::int32_t>(integer);
  }
  return integers;
}

// Null unless the bias is a float constant, one for each channel of the weights.
const Tensor* real_bias(const Draft& draft, const Node& node, const Operand& w) {
  const Tensor* real = draft.constant(node.inputs[2]);
  const bool fits = real && real->dtype() == DType::kFloat && real->rank() == 1 &&
                    (w.scales.size() == 1 || static_cast<std::int64_t>(w.scales.size()) == real->size());
  return fits ? real : nullptr;
}

// The bias as an operand of int32; throws NotFused where it is something else.
Operand bias_operand(Draft& draft, const Node& node) {
  const Operand bias = operand_at(draft, node, 2);
  if (bias.dtype != DType::kInt32)
    throw NotFused{fmt::format("the bias {} is {}, not int32", bias.integers, name(bias.dtype))};
  if (std::any_of(bias.zero_points.begin(), bias.zero_points.end(), [](std::int32_t z) { return z != 0; }))
    throw NotFused{fmt::format("the bias {} has a zero point other than 0", bias.integers)};
  return bias;
}

// The name of the int32 bias, "" without one.
std::string bias_of(Draft& draft, Policy policy, const Node& node, const Operand& x, const Operand& w, Fused& fused) {
  if (node.inputs.size() < 3 || node.inputs[2].empty()) return "";
  const bool is_gemm = is(node, ops::kGemm);
  const Tensor* real = real_bias(draft, node, w);
  if (real && policy == Policy::kExact)
    return draft.add_constant(node.inputs[2] + "_quantized", integer_bias(node.inputs[2], *real, x, w));
  if (real) {
    Tensor integers(DType::kInt32, real->shape());
    for (std::int64_t m = 0; m < real->size(); ++m) {
      const float scale = x.scales[0] * w.scales[w.scales.size() == 1 ? 0 : static_cast<std::size_t>(m)];
      const float quotient = real->as<float>()[static_cast<std::size_t>(m)] / scale;
      if (!(std::abs(quotient) < 2147483648.0F)) throw NotFused{"the float bias does not fit int32"};
      integers.mutable_as<std::int32_t>()[static_cast<std::size_t>(m)] =
          static_cast<std::int32_t>(round_ties_even(quotient));
    }
    fused.warnings.push_back("the float bias is rounded to int32 in units of x_scale * w_scale");
    return draft.add_constant(node.inputs[2] + "_quantized", std::move(integers));
  }
  const Operand bias = bias_operand(draft, node);
  check_bias_scale(policy, bias, x, w, !is_gemm, fused.warnings);
  fused.operands.push_back(bias);
  return bias.integers;
}

std::vector<std::string> inputs_of(const Operand& operand) {
  return {operand.integers, operand.scale_name, operand.zero_point_name};
}

void append(std::vector<std::string>& inputs, const Operand& operand) {
  for (std::string& input : inputs_of(operand)) inputs.push_back(std::move(input));
}

std::string zero_point_of(Draft& draft, const Result& result) {
  return result.zero_point_name.empty() ? zero_point_constant(draft, result.scale_name, result.dtype)
                                        : result.zero_point_name;
}

Fused fuse_convolution(Draft& draft, Policy policy, const Node& node, const Result& result) {
  const Operand x = whole_operand_at(draft, node, 0), w = operand_at(draft, node, 1);
  require_8bit(w, "weights");
  require_channel_axis(draft, w, 0);
  require_kernel(x, w);
  require_result_type(policy, x, result);
  require_sums_in_float(policy, x, w, 1, &result);
  Fused fused{StepKind::kConvolution, {}, {x, w}};
  const std::string bias = bias_of(draft, policy, node, x, w, fused);
  if (policy == Policy::kExact) require_exact_sums(draft, node, x, w, bias, &result);
  fused.node.op_type = "QLinearConv";
  fused.node.attributes = node.attributes;
  append(fused.node.inputs, x);
  append(fused.node.inputs, w);
  fused.node.inputs.insert(fused.node.inputs.end(), {result.scale_name, zero_point_of(draft, result)});
  if (!bias.empty()) fused.node.inputs.push_back(bias);
  return fused;
}

Fused fuse_matmul(Draft& draft, Policy policy, const Node& node, const Result& result) {
  const Operand a = whole_operand_at(draft, node, 0);
  const Operand b =
      columns_operand(draft, node, 1, policy == Policy::kOnnxRuntime ? Scales::kPositive : Scales::kFinite);
  require_kernel(a, b);
  require_result_type(policy, a, result);
  require_sums_in_float(policy, a, b, 1, &result);
  if (policy == Policy::kExact) require_exact_sums(draft, node, a, b, "", &result);
  Fused fused{StepKind::kMatMul, {}, {a, b}};
  fused.node.op_type = "QLinearMatMul";
  append(fused.node.inputs, a);
  append(fused.node.inputs, b);
  fused.node.inputs.insert(fused.node.inputs.end(), {result.scale_name, zero_point_of(draft, result)});
  return fused;
}

bool has_zero_point(const Node& conversion) { return conversion.inputs.size() > 2 && !conversion.inputs[2].empty(); }

}  // namespace

Fused begin_gemm(Draft& draft, Policy policy, const Node& node, const Result* result) {
  const Operand a = whole_operand_at(draft, node, 0);
  const Operand b = columns_operand(draft, node, node.attributes.get_int("transB", 0) != 0 ? 0 : 1);
  require_kernel(a, b);
  for (const Operand* operand : {&a, &b})
    if (policy == Policy::kOnnxRuntime && !has_zero_point(draft.node(operand->step)))
      throw NotFused{fmt::format("ONNX Runtime does not fuse Gemm of {}, which has no zero point", operand->integers)};
  Fused fused{StepKind::kMatMul, {}, {a, b}};
  const float alpha = node.attributes.get_float("alpha", 1), beta = node.attributes.get_float("beta", 1);
  const bool has_bias = node.inputs.size() > 2 && !node.inputs[2].empty();
  if (has_bias && (alpha != 1 || beta != 1))
    throw NotFused{fmt::format("alpha is {} and beta {}: the bias is not in units of the accumulator", alpha, beta)};
  require_sums_in_float(policy, a, b, alpha, result);
  const std::string bias = bias_of(draft, policy, node, a, b, fused);
  if (policy == Policy::kExact) require_exact_sums(draft, node, a, b, bias, result);
  fused.node.op_type = "QGemm";
  fused.node.domain = "com.microsoft";
  fused.node.attributes = node.attributes;
  fused.node.attributes.erase("beta");
  append(fused.node.inputs, a);
  append(fused.node.inputs, b);
  fused.node.inputs.push_back(bias);
  return fused;
}

namespace {

Fused fuse_gemm(Draft& draft, Policy policy, const Node& node, const Result& result) {
  Fused fused = begin_gemm(draft, policy, node, &result);
  require_result_type(Policy::kExact, fused.operands[0], result);  // this one takes int8 in ONNX Runtime too
  fused.node.inputs.insert(fused.node.inputs.end(), {result.scale_name, zero_point_of(draft, result)});
  return fused;
}

}  // namespace

bool is_weighted(const Node& node) { return node.domain.empty() && has(node, Trait::kSumOfProducts); }

Fused fuse_weighted(Draft& draft, Policy policy, const Result& result) {
  const Node node = draft.node(*result.anchor);
  if (is(node, ops::kConv)) return fuse_convolution(draft, policy, node, result);
  return is(node, ops::kMatMul) ? fuse_matmul(draft, policy, node, result) : fuse_gemm(draft, policy, node, result);
}

}  // namespace octet
