#include "octet/program/quantized_share.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "octet/spec/moves_elements.h"
#include "octet/text/numbers.h"

namespace octet {
namespace {

// Whether input `i` of one of a step's operations is data, not a scale or a zero point. Behind a sum of products stands
// only what scales it.
bool is_data_input(const Step& step, const Operation& operation, std::size_t i) {
  const bool sums = step.kind == StepKind::kConvolution || step.kind == StepKind::kMatMul;
  if (sums && &operation != &step.operations.front()) return false;
  const bool has_role = i < operation.op->inputs.size();
  const bool quantization =
      step.kind == StepKind::kQuantize || (step.kind == StepKind::kDequantize && !joins_partial_sums(step.work));
  if (sums || quantization) {
    const Role role = has_role ? operation.op->inputs[i] : Role::kNone;
    return role == Role::kX || role == Role::kW || role == Role::kBias;
  }
  return true;
}

// The values that something else than a scale or a zero point depends on. Steps come after what they read, so one walk
// from the last to the first finds them all.
class DataValues {
 public:
  explicit DataValues(const Program& program) : is_data_(program.values.size()) {
    for (const ValueId output : program.outputs) is_data_[output] = true;
    for (auto step = program.steps.rbegin(); step != program.steps.rend(); ++step)
      if (makes_data(*step)) mark_inputs(*step);
  }

  bool makes_data(const Step& step) const {
    return std::any_of(step.operations.begin(), step.operations.end(), [&](const Operation& operation) {
      return std::any_of(operation.outputs.begin(), operation.outputs.end(),
                         [&](ValueId output) { return output != kNoValue && is_data_[output]; });
    });
  }

 private:
  void mark_inputs(const Step& step) {
    for (const Operation& operation : step.operations)
      for (std::size_t i = 0; i < operation.inputs.size(); ++i)
        if (operation.inputs[i] != kNoValue && is_data_input(step, operation, i)) is_data_[operation.inputs[i]] = true;
  }

  std::vector<bool> is_data_;
};

// All but the first of the partial sums that a step joins: together they are one sum.
std::set<ValueId> further_sums(const Program& program) {
  std::set<ValueId> sums;
  for (const Step& step : program.steps) {
    if (!joins_partial_sums(step.work)) continue;
    const std::vector<ValueId> joined = inputs_of(program, step);
    sums.insert(joined.begin() + 1, joined.end());
  }
  return sums;
}

bool converts(const Step& step) {
  return step.kind == StepKind::kQuantize || step.kind == StepKind::kDequantize ||
         std::holds_alternative<work::SplitBytes>(step.work);
}

// A float step that computes nothing: its elements change places, and none changes its value.
bool moves_floats(const Step& step) {
  if (step.kind != StepKind::kFloat || step.operations.size() != 1) return false;
  const Operation& operation = step.operations[0];
  return moves_elements(*operation.op, operation.attributes);
}

}  // namespace

std::vector<bool> computing_steps(const Program& program) {
  const DataValues data(program);
  const std::set<ValueId> further = further_sums(program);
  std::vector<bool> result;
  for (const Step& step : program.steps)
    result.push_back(!converts(step) && !moves_floats(step) && step.kind != StepKind::kOther && data.makes_data(step) &&
                     !further.contains(step.operations.back().outputs[0]));
  return result;
}

QuantizedShare quantized_share(const Program& program) {
  const std::vector<bool> computing = computing_steps(program);
  QuantizedShare share;
  for (std::size_t i = 0; i < computing.size(); ++i) {
    if (!computing[i]) continue;
    ++share.computing;
    share.quantized += is_quantized(program.steps[i].kind) ? 1 : 0;
  }
  return share;
}

std::string to_string(const QuantizedShare& share) {
  return fmt::format("{} of {}", share.quantized, counted(share.computing, "computing step"));
}

}  // namespace octet
