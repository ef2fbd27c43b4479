#include "octet/engine/reference_engine.h"

#include "octet/engine/operations.h"

namespace octet {

ReferenceEngine::ReferenceEngine(Program program, const EngineOptions& options)
    : Engine(std::move(program), options),
      arithmetic_(options.arithmetic),
      border_(options.integer_steps_only ? Arithmetic() : options.arithmetic) {
  validate(arithmetic_);
}

void ReferenceEngine::compute(std::size_t index, std::vector<Tensor>& values, const std::stop_token& stop) const {
  const Step& step = program().steps[index];
  const bool as_quantized = is_quantized(step.kind) || !step.operations.front().graphs.empty();
  run_operations(program(), step, values, {as_quantized ? arithmetic_ : border_, parallel(), stop}, &border_);
}

}  // namespace octet
