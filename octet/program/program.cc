#include "octet/program/program.h"

#include <algorithm>

namespace octet {
namespace {

bool made_inside(const Step& step, ValueId value) {
  return std::any_of(step.operations.begin(), step.operations.end(), [&](const Operation& operation) {
    return std::find(operation.outputs.begin(), operation.outputs.end(), value) != operation.outputs.end();
  });
}

bool read_inside(const Step& step, ValueId value) {
  return std::any_of(step.operations.begin(), step.operations.end(), [&](const Operation& operation) {
    return std::find(operation.inputs.begin(), operation.inputs.end(), value) != operation.inputs.end();
  });
}

void add_once(std::vector<ValueId>& values, ValueId value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

const ProgramValue* value_at(const Program& program, ValueId id) {
  return id == kNoValue ? nullptr : &program.values[id];
}

ValueId at_number(const std::vector<ValueId>& values, std::optional<std::size_t> number) {
  return number && *number < values.size() ? values[*number] : kNoValue;
}

}  // namespace

StepKind kind_alone(const Program& program, const Operation& operation) {
  if (operation.op->kind) return *operation.op->kind;
  const ValueId y = operation.outputs.empty() ? kNoValue : operation.outputs[0];
  const DType result = y == kNoValue ? DType::kUndefined : program.values[y].dtype;
  if (is_float(result) || result == DType::kUndefined) return StepKind::kFloat;
  return is_integer(result) && bits(result) <= 8 ? StepKind::kMove : StepKind::kOther;
}

std::string operators_of(const Step& step, std::string_view separator) {
  std::string names;
  for (const Operation& operation : step.operations) {
    if (!names.empty()) names += separator;
    names += operation.op->name;
  }
  return names;
}

std::vector<std::string> warnings_of(const Step& step) {
  std::vector<std::string> all = step.warnings;
  all.insert(all.end(), step.hazards.begin(), step.hazards.end());
  return all;
}

bool is_integer(const Step& step) {
  if (step.kind == StepKind::kPool) {
    const auto* pool = std::get_if<work::Pool>(&step.work);
    return pool && !pool->sums_in_float;
  }
  return is_quantized(step.kind) && step.kind != StepKind::kSoftmax;
}

std::size_t own_inputs(const Operation& operation) { return operation.inputs.size() - operation.taken; }

std::int64_t constant_bytes(const Program& program) {
  std::int64_t bytes = 0;
  for (const ProgramValue& value : program.values) bytes += static_cast<std::int64_t>(value.constant.byte_size());
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations)
      for (const Subprogram& graph : operation.graphs) bytes += constant_bytes(*graph.program);
  return bytes;
}

std::vector<ValueId> inputs_of(const Program& program, const Step& step) {
  std::vector<ValueId> result;
  for (const Operation& operation : step.operations)
    for (const ValueId input : operation.inputs)
      if (input != kNoValue && program.values[input].constant.empty() && !made_inside(step, input))
        add_once(result, input);
  return result;
}

std::vector<ValueId> outputs_of(const Program& program, const Step& step) {
  std::vector<ValueId> result;
  for (const Operation& operation : step.operations)
    for (const ValueId output : operation.outputs) {
      const bool last = &operation == &step.operations.back();
      const bool asked_for = std::find(program.outputs.begin(), program.outputs.end(), output) != program.outputs.end();
      if (output != kNoValue && (last || asked_for || !read_inside(step, output))) add_once(result, output);
    }
  return result;
}

ValueId input_id(const Operation& operation, Role role, std::size_t n) {
  return at_number(operation.inputs, input_number(*operation.op, role, n));
}

ValueId output_id(const Operation& operation, Role role) {
  return at_number(operation.outputs, output_number(*operation.op, role));
}

const ProgramValue* find_input(const Program& program, const Operation& operation, Role role, std::size_t n) {
  return value_at(program, input_id(operation, role, n));
}

const ProgramValue* find_output(const Program& program, const Operation& operation, Role role) {
  return value_at(program, output_id(operation, role));
}

const Tensor* find_constant(const Program& program, const Operation& operation, Role role, std::size_t n) {
  const ProgramValue* value = find_input(program, operation, role, n);
  return !value || value->constant.empty() ? nullptr : &value->constant;
}

const ProgramValue* find_value(const Program& program, std::string_view name) {
  const auto found = std::find_if(program.values.begin(), program.values.end(),
                                  [&](const ProgramValue& value) { return value.name == name; });
  return found == program.values.end() ? nullptr : &*found;
}

}  // namespace octet
