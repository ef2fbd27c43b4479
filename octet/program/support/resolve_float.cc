// resolve_float.cc: the work of float32 operators: convolutions, matrix products, pools, softmax, and what works on each
// element.
#include <algorithm>
#include <array>
#include <limits>

#include "octet/program/support/resolving.h"
#include "octet/spec/axes.h"
#include "octet/spec/batch_normalization.h"
#include "octet/spec/clip_bounds.h"
#include "octet/spec/convolution_shape.h"
#include "octet/spec/operators.h"
#include "octet/spec/pool_order.h"
#include "octet/spec/softmax_axis.h"

namespace octet {
namespace {

using work::Calculate;

constexpr int kBroadcastsAsNumpy = 7;  // since this opset

ValueId input_of(const Operation& operation, std::size_t number) {
  return number < operation.inputs.size() ? operation.inputs[number] : kNoValue;
}

bool is_float32(const Program& program, ValueId value) {
  return value != kNoValue && program.values[value].dtype == DType::kFloat;
}

Resolution no_work(std::string why) { return {std::monostate(), std::move(why), {}}; }

// Null unless it is there, known, and float32.
const Tensor* constant_at(const Program& program, const Operation& operation, std::size_t number) {
  return float_constant(program, input_of(operation, number));
}

std::vector<float> elements_of(const Tensor& tensor) { return {tensor.as<float>().begin(), tensor.as<float>().end()}; }

// Numbers that differ along one axis of a value of this shape, at most; the shape is that of the value still.
struct Numbers {
  std::vector<float> numbers;
  std::optional<std::int64_t> axis;
};
std::optional<Numbers> numbers_along(const Tensor& tensor, const SymbolicShape& shape) {
  if (tensor.shape().size() > shape.size() || tensor.size() == 0) return std::nullopt;
  const std::size_t missing = shape.size() - tensor.shape().size();
  Numbers found{elements_of(tensor), std::nullopt};
  for (std::size_t d = 0; d < tensor.shape().size(); ++d) {
    const std::int64_t size = tensor.shape()[d];
    if (size == 1) continue;
    if (found.axis || !shape[missing + d].is(size)) return std::nullopt;
    found.axis = static_cast<std::int64_t>(missing + d);
  }
  return found;
}

std::optional<FloatStages> normalization(const Program& program, const Operation& operation, ValueId x) {
  if (input_of(operation, 0) != x) return std::nullopt;
  const Attributes& attributes = operation.attributes;
  const std::optional<SymbolicShape>& shape = program.values[x].shape;
  if (batch_norm_trains(attributes, operation.opset) || !shape || shape->size() < 2) return std::nullopt;
  if (!batch_norm_is_per_channel(attributes, operation.opset)) return std::nullopt;
  std::array<std::span<const float>, 4> parameters;  // scale, b, mean, var
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Tensor* constant = constant_at(program, operation, k + 1);
    if (!constant) return std::nullopt;
    parameters[k] = constant->as<float>();
  }
  const auto& [scales, biases, means, variances] = parameters;
  const float epsilon = attributes.get_float("epsilon", 1e-5F);
  Calculate multiply{.operation = Calculate::Operation::kMultiply}, add{.operation = Calculate::Operation::kAdd};
  for (std::size_t c = 0; c < scales.size(); ++c) {
    const auto [factor, offset] = batch_norm_affine(scales[c], biases[c], means[c], variances[c], epsilon);
    multiply.numbers.push_back(factor);
    add.numbers.push_back(offset);
  }
  if (multiply.numbers.empty()) return std::nullopt;
  return FloatStages{x, operation.outputs[0], 1, {std::move(multiply), std::move(add)}};
}

template <Calculate::Operation kOperation>
std::optional<FloatStages> calculation(const Program& program, const Operation& operation, ValueId x) {
  if (operation.opset < kBroadcastsAsNumpy) return std::nullopt;
  const bool second = input_of(operation, 0) != x;
  const ValueId other = input_of(operation, second ? 0 : 1);
  if (!is_float32(program, x) || !is_float32(program, other)) return std::nullopt;
  const std::optional<SymbolicShape>&shape = program.values[x].shape, &with = program.values[other].shape;
  if (!shape || !with) return std::nullopt;
  FloatStages found{.x = x, .y = operation.outputs[0]};
  Calculate stage{.operation = kOperation, .operand_first = second};
  if (const Tensor& constant = program.values[other].constant; !constant.empty()) {
    std::optional<Numbers> numbers = numbers_along(constant, *shape);
    if (!numbers) return std::nullopt;
    stage.numbers = std::move(numbers->numbers);
    found.axis = numbers->axis;
  } else {
    if (shape->size() != with->size() || !std::equal(shape->begin(), shape->end(), with->begin(), surely_equal))
      return std::nullopt;
    stage.other = other;
  }
  found.stages.emplace_back(std::move(stage));
  return found;
}

std::optional<FloatStages> limit(const Program& program, const Operation& operation, ValueId x) {
  const std::optional<work::Limit> found = limit_of(program, operation);
  if (!found || input_of(operation, 0) != x) return std::nullopt;
  return FloatStages{x, operation.outputs[0], {}, {*found}};
}

Resolution convolution(const Program& program, const Operation& operation) {
  const Tensor* weights = constant_at(program, operation, 1);
  const ValueId x = input_of(operation, 0);
  const std::optional<SymbolicShape>& shape = program.values[x].shape;
  const bool has_bias = input_of(operation, 2) != kNoValue;
  const Tensor* bias = constant_at(program, operation, 2);
  if (!weights) return no_work("its weights are computed, not constants");
  if (has_bias && !bias) return no_work("its bias is computed, not a constant");
  if (weights->size() == 0 || !shape) return {};
  ConvolutionShape resolved =
      resolve_convolution(operation.attributes, shape, symbolic(weights->shape()), ConvolutionLabels{"", ""});
  const bool known = std::all_of(shape->begin() + 2, shape->end(), [](const Dim& dim) { return dim.known(); });
  work::FloatConvolution work{.x = x,
                              .y = operation.outputs[0],
                              .group = resolved.group,
                              .window = std::move(resolved.window),
                              .weights = *weights};
  if (bias) work.epilogue.emplace_back(Calculate{.numbers = elements_of(*bias)});
  return {std::move(work), known ? "" : "a shape is not known before the run", {}};
}

// Gemm's alpha * a * b + beta * c, and MatMul.
Resolution product(const Program& program, const Operation& operation) {
  const Tensor* weights = constant_at(program, operation, 1);
  const std::optional<SymbolicShape>&x = program.values[input_of(operation, 0)].shape,
        &y = program.values[operation.outputs[0]].shape;
  const bool gemm = is_operation(operation, ops::kGemm);
  if (!weights) return no_work("its weights are computed, not constants");
  if (weights->rank() != 2) return no_work("its weights are not one matrix");
  if (weights->size() == 0 || !x || x->empty() || !y || y->empty()) return {};
  work::FloatProduct work{.x = input_of(operation, 0), .y = operation.outputs[0], .weights = *weights};
  if (!gemm) return {std::move(work), {}, {}};
  const Attributes& attributes = operation.attributes;
  if (attributes.get_int("transA", 0) != 0) return no_work("its first operand is transposed");
  work.w_transposed = attributes.get_int("transB", 0) != 0;
  if (const float alpha = attributes.get_float("alpha", 1); alpha != 1)
    work.epilogue.emplace_back(Calculate{.operation = Calculate::Operation::kMultiply, .numbers = {alpha}});
  const float beta = attributes.get_float("beta", 1);
  if (input_of(operation, 2) == kNoValue || beta == 0) return {std::move(work), {}, {}};
  const Tensor* c = constant_at(program, operation, 2);
  std::optional<Numbers> numbers = c ? numbers_along(*c, *y) : std::nullopt;
  if (!numbers || numbers->axis == 0) return no_work("what it adds is not a constant for each column");
  for (float& number : numbers->numbers) number = beta * number;
  work.epilogue.emplace_back(Calculate{.numbers = std::move(numbers->numbers)});
  return {std::move(work), {}, {}};
}

Resolution pool(const Program& program, const Operation& operation) {
  const Attributes& attributes = operation.attributes;
  work::FloatPool work{.x = input_of(operation, 0),
                       .y = operation.outputs[0],
                       .maximum = is_operation(operation, ops::kMaxPool),
                       .count_include_pad = attributes.get_int("count_include_pad", 0) != 0};
  const std::optional<SymbolicShape>& shape = program.values[work.x].shape;
  if (!shape || shape->size() < 3) return {};
  if (is_operation(operation, ops::kGlobalAveragePool)) return {std::move(work), {}, {}};
  const SymbolicShape image(shape->begin() + 2, shape->end());
  const bool known = std::all_of(image.begin(), image.end(), [](const Dim& dim) { return dim.known(); });
  work.window = resolve_window(attributes, image, attributes.get_ints("kernel_shape"),
                               attributes.get_int("ceil_mode", 0) != 0, "");
  if (known && is_operation(operation, ops::kAveragePool)) {
    const PoolOrder order = pool_order(operation.opset, *work.window, *concrete(image));
    if (order == PoolOrder::kColumns) return no_work("its windows are summed column by column");
    if (order == PoolOrder::kPlane) work.window.reset();  // summed as GlobalAveragePool's
  }
  return {std::move(work), known ? "" : "a shape is not known before the run", {}};
}

Resolution softmax(const Program& program, const Operation& operation) {
  const std::optional<SymbolicShape>& shape = program.values[input_of(operation, 0)].shape;
  if (!shape) return {};
  const auto [written, flattens] = softmax_axis(operation.attributes, operation.opset);
  const std::size_t axis = normalize_axis(written, shape->size(), "softmax_c2");
  return {work::FloatSoftmax{.x = input_of(operation, 0),
                             .y = operation.outputs[0],
                             .axis = static_cast<std::int64_t>(axis),
                             .flattens = flattens},
          {},
          {}};
}

// What works on each element of x; of a calculation, x may be either operand.
struct ElementOperator {
  const Operator* op;
  std::optional<FloatStages> (*stages)(const Program& program, const Operation& operation, ValueId x);
  bool takes_either = false;
};
constexpr ElementOperator kElementOperators[] = {
    {&ops::kAdd, calculation<Calculate::Operation::kAdd>, true},
    {&ops::kSub, calculation<Calculate::Operation::kSubtract>, true},
    {&ops::kMul, calculation<Calculate::Operation::kMultiply>, true},
    {&ops::kDiv, calculation<Calculate::Operation::kDivide>, true},
    {&ops::kBatchNormalization, normalization},
    {&ops::kClip, limit},
    {&ops::kRelu, limit},
};

// What reads its first input, which is no constant, in another way.
struct FloatOperator {
  const Operator* op;
  Resolution (*resolve)(const Program& program, const Operation& operation);
};
constexpr FloatOperator kFloatOperators[] = {
    {&ops::kConv, convolution}, {&ops::kGemm, product},           {&ops::kMatMul, product},  {&ops::kMaxPool, pool},
    {&ops::kAveragePool, pool}, {&ops::kGlobalAveragePool, pool}, {&ops::kSoftmax, softmax},
};

// The operator's entry; null where it has none.
template <typename Entry, std::size_t kSize>
const Entry* entry_of(const Entry (&entries)[kSize], const Operation& operation) {
  const auto* found =
      std::ranges::find_if(entries, [&](const Entry& entry) { return is_operation(operation, *entry.op); });
  return found == std::end(entries) ? nullptr : found;
}

}  // namespace

std::optional<work::Limit> limit_of(const Program& program, const Operation& operation) {
  if (is_operation(operation, ops::kRelu)) return work::Limit{0, std::numeric_limits<float>::infinity()};
  if (!is_operation(operation, ops::kClip)) return std::nullopt;
  work::Limit limit{std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()};
  const auto bounds = clip_bounds(operation.attributes, operation.opset,
                                  [&](std::size_t i) { return input_of(operation, i) != kNoValue; });
  for (const auto& [bound, number] : {std::pair{bounds[0], &limit.low}, std::pair{bounds[1], &limit.high}}) {
    if (bound.attribute) *number = *bound.attribute;
    if (!bound.input) continue;
    const Tensor* constant = constant_at(program, operation, *bound.input);
    if (!constant || constant->size() != 1) return std::nullopt;
    *number = constant->as<float>()[0];
  }
  return limit;
}

std::optional<FloatStages> float_stages(const Program& program, const Operation& operation, ValueId x) {
  const ElementOperator* entry = entry_of(kElementOperators, operation);
  if (!entry || operation.inputs.empty() || operation.outputs[0] == kNoValue || !is_float32(program, x))
    return std::nullopt;
  return entry->stages(program, operation, x);
}

Resolution resolve_float(const Program& program, const Operation& operation) {
  const ValueId x = input_of(operation, 0);
  if (operation.outputs.size() != 1) return no_work("it has several results");
  if (operation.outputs[0] == kNoValue || x == kNoValue || !is_float32(program, operation.outputs[0])) return {};
  const bool is_constant = !program.values[x].constant.empty();
  if (const ElementOperator* entry = entry_of(kElementOperators, operation)) {
    const bool starts_second = entry->takes_either && is_constant;  // a constant operand is no x
    auto found = float_stages(program, operation, starts_second ? input_of(operation, 1) : x);
    if (!found || !program.values[found->x].constant.empty()) return {};
    return {work::FloatElements{found->x, found->y, found->axis, std::move(found->stages)}, {}, {}};
  }
  const FloatOperator* entry = entry_of(kFloatOperators, operation);
  return entry && is_float32(program, x) && !is_constant ? entry->resolve(program, operation) : Resolution();
}

}  // namespace octet
