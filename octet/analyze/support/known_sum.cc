#include "octet/analyze/support/known_sum.h"

#include <algorithm>

#include "octet/spec/operators.h"

namespace octet {
namespace {

bool is_one_or_each(std::size_t count, std::int64_t channels) {
  return count == 1 || static_cast<std::int64_t>(count) == channels;
}

}  // namespace

KnownSums::KnownSums(const Program& program) : program_(program) {
  for (const Step& step : program.steps)
    if (const auto* work = std::get_if<work::Dequantize>(&step.work))
      if (step.opaque.empty()) dequantized_.emplace(work->y, work);
}

std::optional<KnownSum> KnownSums::of(const Step& step) const {
  if (const work::Sum* sum = sum_of(step.work)) return of_sum(step, *sum);
  return step.kind == StepKind::kFloat ? of_dequantized(step) : std::nullopt;
}

std::optional<KnownSum> KnownSums::of_sum(const Step& step, const work::Sum& sum) const {
  if (sum.weights.empty() || (sum.x_type != DType::kInt8 && sum.x_type != DType::kUint8)) return std::nullopt;
  const Operation& operation = step.operations.front();
  const auto is_computed = [&](Role role) {
    return input_id(operation, role) != kNoValue && !find_constant(program_, operation, role);
  };
  if (is_computed(Role::kWZeroPoint) || !is_one_or_each(sum.w_zero_points.size(), sum.channels)) return std::nullopt;
  if (input_id(operation, Role::kBias) != kNoValue && sum.bias.empty()) return std::nullopt;
  KnownSum found{sum.x_type, {sum.x_zero_point, sum.x_zero_point}, sum.weights, sum.products, sum.w_zero_points,
                 sum.bias};
  if (sum.least.empty()) {
    const IntegerRange any = integer_range(sum.x_type);
    found.x_zero_points = {any.min, any.max};
  }
  if (const auto* convolution = std::get_if<work::Convolution>(&step.work))
    found.inputs = constant(convolution->w).shape()[1];
  const std::vector<work::Stage>& stages = *epilogue_of(step.work);
  if (!stages.empty()) found.requantize = std::get_if<work::Requantize>(&stages.front());
  if (found.requantize && !is_one_or_each(found.requantize->multipliers.size(), sum.channels))
    found.requantize = nullptr;
  return found;
}

const work::Dequantize* KnownSums::behind(ValueId value) const {
  const auto found = dequantized_.find(value);
  return found == dequantized_.end() ? nullptr : found->second;
}

std::optional<KnownSum> KnownSums::of_dequantized(const Step& step) const {
  const Operation& operation = step.operations.front();
  const bool convolution = is(operation.op, ops::kConv), gemm = is(operation.op, ops::kGemm);
  if (!convolution && !gemm && !is(operation.op, ops::kMatMul)) return std::nullopt;
  const work::Dequantize *x = nullptr, *w = nullptr, *bias = nullptr;
  for (const ValueId input : operation.inputs) {
    if (input == kNoValue) continue;
    const work::Dequantize* integers = behind(input);
    if (!integers) return std::nullopt;
    (constant(integers->x).empty() ? x : constant(integers->x).dtype() == DType::kInt32 ? bias : w) = integers;
  }
  if (!x || !w || x->scales.size() != 1 || behind(operation.inputs[0]) != x) return std::nullopt;
  const Tensor& weights = constant(w->x);
  const DType x_type = program_.values[x->x].dtype;
  if (bits(x_type) != 16 && bits(weights.dtype()) != 16) return std::nullopt;  // another reason made it float
  if (weights.size() == 0 || weights.rank() < 2 || (!convolution && weights.rank() != 2)) return std::nullopt;
  const bool channels_first = convolution || (gemm && operation.attributes.get_int("transB", 0) != 0);
  const std::int64_t channels = weights.shape()[channels_first ? 0 : 1], products = weights.size() / channels;
  if (!is_one_or_each(w->zero_points.size(), channels) || (w->scales.size() > 1 && w->axis != (channels_first ? 0 : 1)))
    return std::nullopt;
  KnownSum found{x_type,
                 {x->zero_points[0], x->zero_points[0]},
                 channels_first ? weights.reshaped({channels, products}) : weights.transposed(),
                 convolution ? weights.shape()[1] : products,
                 w->zero_points};
  // Factors of the product or of the bias alone take the two apart.
  const bool together =
      operation.attributes.get_float("alpha", 1) == 1 && operation.attributes.get_float("beta", 1) == 1;
  if (bias && !(together && add_bias(*x, *w, *bias, found))) return std::nullopt;
  return found;
}

bool KnownSums::add_bias(const work::Dequantize& x, const work::Dequantize& w, const work::Dequantize& bias,
                         KnownSum& sum) const {
  const Tensor& integers = constant(bias.x);
  if (!is_one_or_each(static_cast<std::size_t>(integers.size()), sum.weights.shape()[0])) return false;
  for (std::int64_t m = 0; m < integers.size(); ++m) {
    if (one_or(bias.scales, m) != x.scales[0] * one_or(w.scales, m) || one_or(bias.zero_points, m) != 0) return false;
    sum.bias.push_back(static_cast<std::int32_t>(integers.int_at(m)));
  }
  return true;
}

}  // namespace octet
