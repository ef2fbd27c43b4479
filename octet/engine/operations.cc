#include "octet/engine/operations.h"

#include "octet/base/error.h"
#include "octet/program/computable.h"
#include "octet/program/run_operation.h"

namespace octet {

void run_operations(const Program& program, const Step& step, std::vector<Tensor>& values,
                    const Environment& environment, const Arithmetic* border) {
  for (const Operation& operation : step.operations) {
    std::vector<Tensor> arguments;
    for (const ValueId input : operation.inputs) {
      if (input == kNoValue)
        arguments.emplace_back();
      else
        arguments.push_back(values[input].empty() ? program.values[input].constant : values[input]);
    }
    std::vector<Tensor> computed;
    try {
      computed = run_operation(operation, std::move(arguments), environment, border);
    } catch (const Error& error) {
      if (operation.graphs.empty()) throw;
      throw error.inside(place_of(step));
    }
    for (std::size_t i = 0; i < computed.size(); ++i)
      if (operation.outputs[i] != kNoValue) values[operation.outputs[i]] = std::move(computed[i]);
  }
  for (const Operation& operation : step.operations)
    for (const ValueId output : operation.outputs)
      if (output != kNoValue) require_computable(values[output].dtype(), "output", program.values[output].name);
}

std::string place_of(const Step& step) { return step.name + " (" + operators_of(step, " ") + ")"; }

}  // namespace octet
