#include "octet/engine/reference_engine.h"

#include "octet/engine/operations.h"

namespace octet {

ReferenceEngine::ReferenceEngine(Program program, const EngineOptions& options)
    : Engine(std::move(program), options.threads),
      arithmetic_(options.arithmetic),
      border_(options.integer_steps_only ? Arithmetic() : options.arithmetic) {
  validate(arithmetic_);
}

void ReferenceEngine::compute(std::size_t index, std::vector<Tensor>& values, const std::stop_token& stop) const {
  const Step& step = program().steps[index];
  run_operations(program(), step, values, {is_quantized(step.kind) ? arithmetic_ : border_, parallel(), stop});
}

}  // namespace octet
