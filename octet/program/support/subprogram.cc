#include "octet/program/support/subprogram.h"

#include "octet/spec/operators.h"

namespace octet {

Body declared_body(const Subprogram& graph) {
  const Program& program = *graph.program;
  Body body;
  for (std::size_t i = 0; i + graph.taken.size() < program.inputs.size(); ++i)
    body.inputs.push_back({program.inputs[i].type.dtype, program.inputs[i].type.shape, {}, {}});
  for (const ValueId output : program.outputs)
    body.outputs.push_back({program.values[output].dtype, program.values[output].shape, {}, {}});
  return body;
}

std::string why_at_run_time(const Operator& op) {
  if (is(&op, ops::kIf)) return "which branch it takes is known only at run time";
  return is(&op, ops::kLoop) ? "how often its graph runs is known only at run time"
                             : "its graph runs once for each slice of what it scans";
}

}  // namespace octet
