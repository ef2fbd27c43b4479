#include "octet/export/tensor_names.h"

namespace octet {

TensorNames::TensorNames(const Program& program) {
  for (const ProgramValue& value : program.values)
    if (!identifiers.contains(value.name) && taken.keep(value.name)) identifiers.emplace(value.name, value.name);
  const auto add = [&](ValueId value) {
    const std::string& name = program.values[value].name;
    if (!identifiers.contains(name)) identifiers.emplace(name, taken.make(name));
  };
  for (const ProgramInput& input : program.inputs) add(input.value);
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue) add(output);
  for (ValueId value = 0; value < program.values.size(); ++value) add(value);
}

}  // namespace octet
