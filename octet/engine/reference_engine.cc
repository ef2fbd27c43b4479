#include "octet/engine/reference_engine.h"

namespace octet {

ReferenceEngine::ReferenceEngine(Program program, const EngineOptions& options)
    : Engine(std::move(program), options.threads),
      arithmetic_(options.arithmetic),
      border_(options.integer_steps_only ? Arithmetic() : options.arithmetic) {
  validate(arithmetic_);
}

void ReferenceEngine::compute(std::size_t index, std::vector<Tensor>& values) const {
  const Step& step = program().steps[index];
  const Environment environment{is_quantized(step.kind) ? arithmetic_ : border_, parallel()};
  for (const Operation& operation : step.operations) {
    std::vector<Tensor> arguments;
    for (const ValueId input : operation.inputs) arguments.push_back(input == kNoValue ? Tensor() : values[input]);
    std::vector<Tensor> computed =
        execute(*operation.op, operation.opset, operation.attributes, arguments, operation.outputs.size(), environment);
    for (std::size_t i = 0; i < computed.size(); ++i)
      if (operation.outputs[i] != kNoValue) values[operation.outputs[i]] = std::move(computed[i]);
  }
}

}  // namespace octet
