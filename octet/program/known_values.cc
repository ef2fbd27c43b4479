#include "octet/program/known_values.h"

#include <algorithm>

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

}  // namespace octet
