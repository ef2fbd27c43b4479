#include "octet/program/support/byte_reuse.h"

#include <algorithm>
#include <vector>

namespace octet {
namespace {

// Whether element k of the first output depends on no element of the input but k.
bool keeps_positions(const Program& program, const Operation& operation, std::size_t input) {
  if (renames_bytes(operation)) return input == 0;
  if (!operation.op->on_elements && input_number(*operation.op, Role::kIndex) != input) return false;
  const ValueId from = operation.inputs[input], to = operation.outputs[0];
  if (from == kNoValue || to == kNoValue) return false;
  return program.values[from].shape && program.values[from].shape == program.values[to].shape;
}

}  // namespace

bool renames_bytes(const Operation& operation) { return operation.op->renames; }

bool may_overwrite(const Program& program, const Step& step, ValueId input, ValueId result) {
  std::vector<ValueId> dependent = {input};
  const auto depends = [&](ValueId value) {
    return std::find(dependent.begin(), dependent.end(), value) != dependent.end();
  };
  for (const Operation& operation : step.operations)
    for (std::size_t i = 0; i < operation.inputs.size(); ++i) {
      if (!depends(operation.inputs[i])) continue;
      if (!keeps_positions(program, operation, i)) return false;
      if (!depends(operation.outputs[0])) dependent.push_back(operation.outputs[0]);
    }
  return depends(result);
}

}  // namespace octet
