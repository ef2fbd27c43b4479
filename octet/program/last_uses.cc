#include "octet/program/last_uses.h"

namespace octet {

// Walks backwards: the first step that mentions a value is the last one to need it.
std::vector<std::vector<ValueId>> last_uses(const Program& program) {
  std::vector<std::vector<ValueId>> uses(program.steps.size());
  std::vector<bool> needed(program.values.size());
  for (const ValueId output : program.outputs) needed[output] = true;
  for (std::size_t s = program.steps.size(); s-- > 0;)
    for (const Operation& operation : program.steps[s].operations)
      for (const auto* values : {&operation.outputs, &operation.inputs})
        for (const ValueId value : *values)
          if (value != kNoValue && !needed[value]) {
            needed[value] = true;
            uses[s].push_back(value);
          }
  return uses;
}

}  // namespace octet
