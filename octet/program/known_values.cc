#include "octet/program/known_values.h"

#include <algorithm>

#include "octet/base/parallel.h"
#include "octet/program/run_operation.h"
#include "octet/program/support/resolving.h"

namespace octet {

Program with_known_values(Program program) {
  const std::vector<Tensor> known = infer_values(program).known;
  const auto is_known = [&](ValueId value) {
    return value == kNoValue || (!known[value].empty() && !std::ranges::count(program.outputs, value));
  };
  std::erase_if(program.steps, [&](const Step& step) {
    if (step.kind != StepKind::kOther) return false;
    const std::vector<ValueId> made = outputs_of(program, step);
    if (!std::ranges::all_of(made, is_known)) return false;
    for (const ValueId value : made) {
      program.values[value].constant = known[value];
      program.values[value].dtype = known[value].dtype();
      program.values[value].shape = symbolic(known[value].shape());
    }
    return true;
  });
  return program;
}

Program with_float_constants(Program program) {
  const auto is_constant = [&](ValueId value) { return value == kNoValue || !program.values[value].constant.empty(); };
  const Arithmetic arithmetic;
  const Parallel parallel(1);
  const Environment environment{arithmetic, parallel};
  const std::size_t steps = program.steps.size();
  std::erase_if(program.steps, [&](const Step& step) {
    const Operation& operation = step.operations.front();
    if (step.kind != StepKind::kDequantize || step.operations.size() != 1 ||
        !std::ranges::all_of(operation.inputs, is_constant) ||
        std::ranges::count(program.outputs, operation.outputs.at(0)) > 0)
      return false;
    std::vector<Tensor> arguments;
    for (const ValueId input : operation.inputs)
      arguments.push_back(input == kNoValue ? Tensor() : program.values[input].constant);
    ProgramValue& value = program.values[operation.outputs[0]];
    value.constant = run_operation(operation, std::move(arguments), environment).at(0);
    value.dtype = value.constant.dtype();
    value.shape = symbolic(value.constant.shape());
    return true;
  });
  if (program.steps.size() < steps) resolve_again(program);
  return program;
}

}  // namespace octet
