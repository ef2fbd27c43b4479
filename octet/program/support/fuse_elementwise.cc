// fuse_elementwise.cc: Add, Mul, Concat, pools, means of all pixels, Sigmoid, LeakyRelu and Softmax on integers.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "octet/graph/lookup.h"
#include "octet/program/support/float_limits.h"
#include "octet/program/support/patterns.h"
#include "octet/spec/softmax_axis.h"

namespace octet {
namespace {

struct Rule {
  const Operator* op;
  StepKind kind;
  std::size_t inputs;  // 0: all of them
};
constexpr std::array<Rule, 9> kRules = {{{&ops::kAdd, StepKind::kAddition, 2},
                                         {&ops::kMul, StepKind::kMultiplication, 2},
                                         {&ops::kConcat, StepKind::kConcatenation, 0},
                                         {&ops::kAveragePool, StepKind::kPool, 1},
                                         {&ops::kGlobalAveragePool, StepKind::kPool, 1},
                                         {&ops::kReduceMean, StepKind::kPool, 1},
                                         {&ops::kSigmoid, StepKind::kTable, 1},
                                         {&ops::kLeakyRelu, StepKind::kTable, 1},
                                         {&ops::kSoftmax, StepKind::kSoftmax, 1}}};

const Rule* find_rule(const Node& node) {
  const auto* it = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& r) { return is(node, *r.op); });
  return it == kRules.end() ? nullptr : it;
}

void require_elements_in_float(const Rule& rule, const std::vector<Operand>& operands, const Result& result) {
  for (const Operand& operand : operands) require_finite(operand);
  switch (rule.kind) {
    case StepKind::kAddition: return require_addition(operands[0], operands[1], result.quantization);
    case StepKind::kMultiplication: return require_multiplication(operands[0], operands[1], result.quantization);
    case StepKind::kPool: return require_average(operands[0], result.quantization);
    default: return;  // element by element as in the file
  }
}

}  // namespace

bool is_elementwise(const Node& node) { return find_rule(node) != nullptr; }

Fused fuse_elementwise(Draft& draft, Policy policy, const Result& result) {
  const Node node = draft.node(*result.anchor);
  const Rule& rule = *find_rule(node);
  if (is(node, ops::kSoftmax) && policy == Policy::kExact)
    throw NotFused{"the integer softmax rounds its exponentials and 1 / y_scale: it is not exact"};
  if (is(node, ops::kReduceMean) && policy == Policy::kOnnxRuntime)
    throw NotFused{"ONNX Runtime does not fuse ReduceMean"};
  if (is(node, ops::kAveragePool) && policy == Policy::kExact && node.attributes.get_int("ceil_mode", 0) != 0 &&
      node.attributes.get_int("count_include_pad", 0) != 0)
    throw NotFused{"with ceil_mode and count_include_pad the integer pool divides by another count"};
  Fused fused{rule.kind, {}, {}};
  for (std::size_t i = 0; i < (rule.inputs ? rule.inputs : node.inputs.size()); ++i) {
    const Operand operand = whole_operand_at(draft, node, i);
    if (operand.dtype != result.dtype)
      throw NotFused{fmt::format("{} is {}, and the result {}: no kernel mixes them", operand.integers,
                                 name(operand.dtype), name(result.dtype))};
    fused.operands.push_back(operand);
  }
  if (policy == Policy::kExact) require_elements_in_float(rule, fused.operands, result);
  const std::string zero_point = !result.zero_point_name.empty()
                                     ? result.zero_point_name
                                     : zero_point_constant(draft, result.scale_name, result.dtype);
  Node& target = fused.node;
  target.op_type = "QLinear" + node.op_type;
  target.domain = "com.microsoft";
  target.attributes = node.attributes;
  const bool result_first = is(node, ops::kConcat);
  if (result_first) target.inputs = {result.scale_name, zero_point};
  for (const Operand& operand : fused.operands)
    target.inputs.insert(target.inputs.end(), {operand.integers, operand.scale_name, operand.zero_point_name});
  if (!result_first) target.inputs.insert(target.inputs.end(), {result.scale_name, zero_point});
  if (is(node, ops::kReduceMean)) {
    target.op_type = "QLinearGlobalAveragePool";
    target.attributes = {};
    target.attributes.set("channels_last", std::int64_t{averages_channels_last(draft, node)});
  }
  if (is(node, ops::kGlobalAveragePool)) target.attributes.set("channels_last", std::int64_t{0});
  if (is(node, ops::kSoftmax)) {
    target.attributes.set("axis", softmax_axis(node.attributes, draft.opset(node)).axis);
    target.attributes.set("opset", std::int64_t{draft.opset(node)});
  }
  return fused;
}

}  // namespace octet
