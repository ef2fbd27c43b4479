#include "octet/bench/exact_outputs.h"

#include <algorithm>
#include <set>

#include "octet/verify/difference.h"
#include "octet/verify/float_tolerance.h"

namespace octet {
namespace {

bool makes(const Step& step, ValueId value) {
  return std::ranges::any_of(step.operations, [&](const Operation& operation) {
    return std::ranges::find(operation.outputs, value) != operation.outputs.end();
  });
}

}  // namespace

ExactOutputs exact_outputs(const Engine& engine, const NamedTensors& inputs) {
  const Program& program = engine.program();
  std::map<ValueId, const Step*> maker;  // of each output that a step makes
  std::set<std::string> read;            // by those steps
  for (const Step& step : program.steps)
    for (const ValueId output : program.outputs)
      if (makes(step, output)) {
        maker[output] = &step;
        for (const Operation& operation : step.operations)
          for (const ValueId input : operation.inputs)
            if (input != kNoValue) read.insert(program.values[input].name);
      }
  NamedTensors values = engine.checked_inputs(inputs);
  const NamedTensors outputs = engine.run(inputs, {.observe = [&](const std::string& name, const Tensor& value) {
                                            if (read.contains(name)) values[name] = value;
                                          }});
  ExactOutputs exact;
  for (const ValueId output : program.outputs) {
    const std::string& name = program.values[output].name;
    ExactOutput& found = exact[name];
    found.tensor = outputs.at(name);
    if (maker.contains(output))
      found.tolerances = float_tolerances(program, *maker.at(output), values, found.tensor, true, engine.parallel());
  }
  return exact;
}

Equality equality(const ExactOutputs& exact, const NamedTensors& other) {
  Equality sum;
  for (const auto& [name, output] : exact) {
    const Tensor& tensor = output.tensor;
    const std::int64_t rows = tensor.shape().empty() ? 1 : tensor.shape().front();
    sum.elements += tensor.size();
    sum.rows += rows;
    const auto found = other.find(name);
    if (found == other.end()) continue;
    const Difference between = difference(tensor, found->second, output.tolerances);
    if (!between.wrong.empty()) continue;
    std::set<std::int64_t> differing_rows;
    for (const std::int64_t element : between.differing) differing_rows.insert(element / (tensor.size() / rows));
    sum.equal_elements += tensor.size() - static_cast<std::int64_t>(between.differing.size());
    sum.equal_rows += rows - static_cast<std::int64_t>(differing_rows.size());
  }
  return sum;
}

}  // namespace octet
