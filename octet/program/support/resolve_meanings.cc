// resolve_meanings.cc: what the integers of values mean, and integers written with one scale and read with another,
// which runtimes pass over.
#include <fmt/core.h>

#include "octet/program/support/patterns.h"
#include "octet/program/support/resolving.h"

namespace octet {
namespace {

class MeaningResolver {
 public:
  explicit MeaningResolver(Program& program) : program_(program), written_(program.values.size()) {
    for (ProgramValue& value : program_.values) value.quantization = value.declared;
  }

  void run() {
    for (Step& step : program_.steps)
      for (const Operation& operation : step.operations) {
        for (std::size_t n = 0; input_id(operation, Role::kX, n) != kNoValue; ++n) {
          reads(step, input_id(operation, Role::kX, n),
                quantization_at(program_, operation, Role::kXScale, Role::kXZeroPoint, n));
          if (operation.op->repeated == 0) break;
        }
        reads_second(step, operation);
        if (input_number(*operation.op, Role::kYScale))
          writes(operation, quantization_at(program_, operation, Role::kYScale, Role::kYZeroPoint));
        else if (const ProgramValue* source = carried(step, operation); source && source->quantization)
          writes(operation, source->quantization);
      }
  }

 private:
  // Constant weights have a meaning of their own, one for each channel.
  void reads_second(Step& step, const Operation& operation) {
    const ValueId second = input_id(operation, Role::kW);
    const bool weights = operation.op->kind == StepKind::kConvolution || operation.op->kind == StepKind::kMatMul;
    if (second == kNoValue || (weights && !program_.values[second].constant.empty())) return;
    reads(step, second, quantization_at(program_, operation, Role::kWScale, Role::kWZeroPoint));
  }

  // The value whose integers reach the result as they are, or clamped.
  const ProgramValue* carried(const Step& step, const Operation& operation) const {
    if (input_number(*operation.op, Role::kLow)) return find_input(program_, operation, Role::kX);
    if (step.kind != StepKind::kMove) return nullptr;
    const ProgramValue* moved = find_input(program_, operation, Role::kMoved);
    return moved ? moved : find_input(program_, operation, Role::kX);
  }

  void writes(const Operation& operation, std::optional<Quantization> meaning) {
    const ValueId y = output_id(operation, Role::kY);
    if (y == kNoValue) return;
    program_.values[y].quantization = meaning;
    written_[y] = true;
  }

  void reads(Step& step, ValueId id, std::optional<Quantization> meaning) {
    if (!meaning) return;
    ProgramValue& value = program_.values[id];
    if (!value.quantization && !written_[id]) value.quantization = meaning;  // a graph input or a constant
    if (value.quantization && *value.quantization != *meaning && value.constant.empty())
      step.hazards.push_back(fmt::format("{} is written with {}, and read here with {}", value.name,
                                         text(*value.quantization), text(*meaning)));
  }

  Program& program_;
  std::vector<bool> written_;
};

}  // namespace

void resolve_meanings(Program& program) { MeaningResolver(program).run(); }

}  // namespace octet
