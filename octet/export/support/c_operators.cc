#include "octet/export/support/c_operators.h"

#include <algorithm>
#include <optional>

#include "octet/export/support/c_nest.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/quantize_linear.h"

namespace octet {
namespace {

// What one element of the result is, of elements a, b and c of the inputs; and the function that it calls.
struct ElementFormula {
  const Operator* op;
  std::string_view formula, helper;
};

constexpr ElementFormula kElementFormulas[] = {
    {&ops::kAdd, "a + b", ""},
    {&ops::kSub, "a - b", ""},
    {&ops::kMul, "a * b", ""},
    {&ops::kDiv, "a / b", ""},
    {&ops::kMin, "a <= b || a != a ? a : b", ""},
    {&ops::kMax, "a >= b || a != a ? a : b", ""},
    {&ops::kEqual, "a == b", ""},
    {&ops::kWhere, "a != 0 ? b : c", ""},
    {&ops::kAbs, "a < 0 ? -a : a + 0.0f", ""},
    {&ops::kNeg, "-a", ""},
    {&ops::kRelu, "a < 0 ? 0 : a", ""},
    {&ops::kRound, "round_even(a)", "round_even"},
    {&ops::kHardSwish, "hard_swish(a)", "hard_swish"},
    {&ops::kSigmoid, "sigmoid(a)", "sigmoid"},
    {&ops::kIdentity, "a", ""},
};

const Operation* only_operation(const Step& step) {
  return step.operations.size() == 1 && step.operations[0].op->domain.empty() ? &step.operations[0] : nullptr;
}

const ElementFormula* formula_of(const Operation& operation) {
  const auto* end = std::end(kElementFormulas);
  const auto* found = std::find_if(std::begin(kElementFormulas), end,
                                   [&](const ElementFormula& known) { return known.op == operation.op; });
  return found == end ? nullptr : found;
}

bool shapes_are_known(const Program& program, const Operation& operation) {
  const auto known = [&](ValueId id) {
    return id == kNoValue || (program.values[id].shape && concrete(*program.values[id].shape));
  };
  return !operation.inputs.empty() && std::all_of(operation.inputs.begin(), operation.inputs.end(), known) &&
         std::all_of(operation.outputs.begin(), operation.outputs.end(), known);
}

// float32 throughout, but for what Equal makes and Where reads.
bool has_float_types(const Program& program, const Operation& operation) {
  const auto type = [&](ValueId id) { return id == kNoValue ? DType::kUndefined : program.values[id].dtype; };
  const bool selects = is(operation.op, ops::kWhere), compares = is(operation.op, ops::kEqual);
  for (std::size_t i = 0; i < operation.inputs.size(); ++i)
    if (type(operation.inputs[i]) != (selects && i == 0 ? DType::kBool : DType::kFloat)) return false;
  return operation.inputs.size() <= 3 && type(operation.outputs[0]) == (compares ? DType::kBool : DType::kFloat);
}

bool is_on_elements(const Program& program, const Operation& operation) {
  const ElementFormula* formula = formula_of(operation);
  if (!formula) return false;
  const auto names = [&](std::string_view operand) { return formula->formula.find(operand) != std::string_view::npos; };
  const std::size_t operands = is(formula->op, ops::kWhere) ? 3
                               : names(" b")                ? 2
                                                            : 1;  // Max of one, and of three, are others
  return operation.inputs.size() == operands && has_float_types(program, operation);
}

bool is_cast_to_bytes(const Program& program, const Operation& operation) {
  const DType to = program.values[operation.outputs[0]].dtype;
  return is(operation.op, ops::kCast) && program.values[operation.inputs[0]].dtype == DType::kFloat &&
         (to == DType::kInt8 || to == DType::kUint8);
}

// The largest or smallest of all elements.
bool is_reduction(const Program& program, const Operation& operation) {
  const ProgramValue &x = program.values[operation.inputs[0]], &y = program.values[operation.outputs[0]];
  return (is(operation.op, ops::kReduceMin) || is(operation.op, ops::kReduceMax)) && x.dtype == DType::kFloat &&
         element_count(concrete(*y.shape).value()) == 1 && element_count(concrete(*x.shape).value()) > 0;
}

// With one scale and zero point, which are computed.
bool is_quantizer(const Program& program, const Operation& operation) {
  if (!is(operation.op, ops::kQuantizeLinear) || operation.inputs.size() < 2) return false;
  const DType y = program.values[operation.outputs[0]].dtype;
  const auto one = [&](ValueId id, DType type) {
    return program.values[id].dtype == type && element_count(concrete(*program.values[id].shape).value()) == 1;
  };
  return program.values[operation.inputs[0]].dtype == DType::kFloat && one(operation.inputs[1], DType::kFloat) &&
         divides_in_float32(operation.attributes) && (y == DType::kInt8 || y == DType::kUint8) &&
         (operation.inputs.size() < 3 || operation.inputs[2] == kNoValue || one(operation.inputs[2], y));
}

void write_on_elements(CStep& step, const Operation& operation, std::string formula) {
  constexpr const char* kNames[] = {"a", "b", "c"};
  step.say("  y = {}", formula);
  const ValueId y = operation.outputs[0];
  const CValue& to = step.value(y);
  std::vector<std::vector<std::int64_t>> strides = {to.strides()};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < operation.inputs.size(); ++i) {
    names.push_back(step.reads(operation.inputs[i], fmt::format("x{}", i)));
    strides.push_back(strides_seen_as(step.value(operation.inputs[i]), to.shape));
  }
  const std::string result = step.writes(y, "y");
  const CNest nest(step, to.shape, strides);
  const auto row = step.block("for (ptrdiff_t i = 0; i < {}; ++i)", nest.count());
  for (std::size_t i = 0; i < names.size(); ++i)
    step.line("const {} {} = {}[{}];", c_type(step.value(operation.inputs[i]).type), kNames[i], names[i],
              nest.at(i + 1));
  step.line("{}[{}] = ({})({});", result, nest.at(0), c_type(to.type), formula);
}

void write_reduction(CStep& step, const Operation& operation) {
  const bool least = is(operation.op, ops::kReduceMin);
  step.say("  y = the {} of all x; NaN wins", least ? "least" : "greatest");
  const std::string x = step.reads(operation.inputs[0], "x"), y = step.writes(operation.outputs[0], "y");
  step.line("float found = {}[0];", x);
  step.line("for (ptrdiff_t i = 1; i < {0}; ++i) found = found {1} {2}[i] || found != found ? found : {2}[i];",
            step.value(operation.inputs[0]).elements(), least ? "<=" : ">=", x);
  step.line("{}[0] = found;", y);
}

void write_quantizer(CStep& step, const Operation& operation) {
  step.say("  y = saturate(round_ties_even(x / scale) + zero_point), a true division");
  const CValue& to = step.value(operation.outputs[0]);
  const std::string x = step.reads(operation.inputs[0], "x"), scale = step.reads(operation.inputs[1], "scale");
  const bool centred = operation.inputs.size() > 2 && operation.inputs[2] != kNoValue;
  const std::string zero_point = centred ? step.reads(operation.inputs[2], "zero_point") + "[0]" : "0";
  const std::string y = step.writes(operation.outputs[0], "y");
  const IntegerRange range = integer_range(to.type);
  const CNest nest(step, to.shape, {to.strides(), step.value(operation.inputs[0]).strides()});
  step.line("for (ptrdiff_t i = 0; i < {}; ++i)", nest.count());
  step.line("  {}[{}] = ({}){}({}[{}] / {}[0], {}, {}, {});", y, nest.at(0), c_type(to.type), step.use("quantize"), x,
            nest.at(1), scale, zero_point, range.min, range.max);
}

}  // namespace

bool is_c_operator(const Program& program, const Step& step) {
  const Operation* operation = only_operation(step);
  return operation && shapes_are_known(program, *operation) &&
         (is_on_elements(program, *operation) || is_cast_to_bytes(program, *operation) ||
          is_reduction(program, *operation) || is_quantizer(program, *operation));
}

void write_operator(CStep& to, const Step& step) {
  const Operation& operation = step.operations[0];
  const Program& program = to.program();
  if (is_reduction(program, operation)) return write_reduction(to, operation);
  if (is_quantizer(program, operation)) return write_quantizer(to, operation);
  if (is_cast_to_bytes(program, operation)) {
    to.use("whole_number");
    return write_on_elements(to, operation, "whole_number(a)");
  }
  const ElementFormula& formula = *formula_of(operation);
  if (!formula.helper.empty()) to.use(std::string(formula.helper));
  write_on_elements(to, operation, std::string(formula.formula));
}

}  // namespace octet
