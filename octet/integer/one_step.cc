#include "octet/integer/one_step.h"

namespace octet {

Program one_step(const Program& program, std::size_t step) {
  Program one = program;
  one.steps = {program.steps[step]};
  one.inputs.clear();
  for (const ValueId id : inputs_of(program, program.steps[step]))
    one.inputs.push_back({id, {program.values[id].dtype, program.values[id].shape}, {}});
  one.outputs = outputs_of(program, program.steps[step]);
  return one;
}

}  // namespace octet
