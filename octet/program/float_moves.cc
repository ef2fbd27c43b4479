#include "octet/program/float_moves.h"

#include "octet/program/support/resolving.h"

namespace octet {

Program with_float_moves(Program program) {
  const std::vector<Tensor> known = infer_values(program).known;
  MoveBudget budget;
  for (Step& step : program.steps) {
    if (step.kind != StepKind::kFloat || step.opaque.empty() || step.operations.size() != 1) continue;
    Resolution found = resolve_move(program, known, budget, step.operations[0], true);
    if (!std::holds_alternative<work::Move>(found.work)) continue;
    step.work = std::move(found.work);
    step.opaque.clear();
  }
  return program;
}

}  // namespace octet
