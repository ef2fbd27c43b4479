#include "octet/program/resolve.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/program/support/resolving.h"
#include "octet/program/support/subprogram.h"

namespace octet {
namespace {

bool has_minifloats(const Program& program, const Operation& operation) {
  const auto is_one = [&](ValueId value) { return value != kNoValue && is_minifloat(program.values[value].dtype); };
  return std::ranges::any_of(operation.inputs, is_one) || std::ranges::any_of(operation.outputs, is_one);
}

Resolution resolve_first(const Program& program, const std::vector<Tensor>& known, MoveBudget& budget, const Step& step,
                         Constants constants) {
  const Operation& operation = step.operations.front();
  const work::Sum* const before = constants == Constants::kKept ? sum_of(step.work) : nullptr;
  if (!operation.graphs.empty()) return {std::monostate(), why_at_run_time(*operation.op), {}};
  if (has_minifloats(program, operation)) return {std::monostate(), "it has float8 or float4 values", {}};
  switch (step.kind) {
    case StepKind::kConvolution: return resolve_convolution_work(program, operation, before);
    case StepKind::kMatMul: return resolve_matrix_product(program, operation, before);
    case StepKind::kAddition:
    case StepKind::kMultiplication: return resolve_pairwise(program, operation);
    case StepKind::kPool: return resolve_average_pool(program, operation);
    case StepKind::kConcatenation: return resolve_concatenation(program, operation);
    case StepKind::kTable: return resolve_table(program, step);
    case StepKind::kSoftmax: return resolve_softmax(program, operation);
    case StepKind::kQuantize: return resolve_quantize(program, operation);
    case StepKind::kDequantize:
      if (step.operations.size() > 1) return resolve_joined_sum(program, step);
      return resolve_dequantize(program, operation);
    case StepKind::kMove:
      if (std::optional<Resolution> split = resolve_split_bytes(program, step)) return *split;
      if (input_number(*operation.op, Role::kLow)) return resolve_table(program, step);
      if (input_number(*operation.op, Role::kX)) return resolve_max_pool(program, operation);
      return resolve_move(program, known, budget, operation, true);
    case StepKind::kFloat: {
      Resolution real = resolve_float(program, operation);
      if (computes_in_float(real.work)) return real;
      Resolution move = resolve_move(program, known, budget, operation, false);
      if (!move.opaque.empty() && !real.opaque.empty()) move.opaque = std::move(real.opaque);
      return move;
    }
    case StepKind::kOther: break;
  }
  return {std::monostate(), "it computes shapes, indices or truth values", {}};
}

// Whether the work was made of all operations of its step, so that none is left for its epilogue.
bool says_every_operation(const Work& work) {
  return std::holds_alternative<std::monostate>(work) || std::holds_alternative<work::Table>(work) ||
         std::holds_alternative<work::ChannelTables>(work) || std::holds_alternative<work::SplitBytes>(work) ||
         std::holds_alternative<work::JoinedSum>(work);
}

[[noreturn]] void inconsistent(std::string_view where, std::string_view what) {
  fail(ErrorCode::kModel, "the program is not consistent: {}: {}", where, what);
}

void require_order(const Program& program) {
  std::vector<bool> made(program.values.size());
  for (const ProgramInput& input : program.inputs) made.at(input.value) = true;
  for (ValueId id = 0; id < program.values.size(); ++id)
    if (!program.values[id].constant.empty()) made[id] = true;
  for (const Step& step : program.steps) {
    if (step.operations.empty()) inconsistent(step.name, "it has no operation");
    for (const Operation& operation : step.operations) {
      for (const ValueId input : operation.inputs)
        if (input != kNoValue && !made.at(input))
          inconsistent(step.name, program.values[input].name + " is read before it is made");
      for (const ValueId output : operation.outputs) {
        if (output == kNoValue) continue;
        if (made.at(output)) inconsistent(step.name, program.values[output].name + " is made twice");
        made[output] = true;
      }
    }
  }
  for (const ValueId output : program.outputs)
    if (!made.at(output)) inconsistent(program.values[output].name, "an output that nothing makes");
}

void require_constants(const Program& program) {
  for (const ProgramValue& value : program.values)
    if (!value.constant.empty() &&
        (value.dtype != value.constant.dtype() || value.shape != symbolic(value.constant.shape())))
      inconsistent(value.name, "its type or shape is not that of the constant");
}

// What holds a NaN, the scale of some hostile file, equals nothing, not even itself.
template <typename T>
bool is_stale(const T& was, const T& is) {
  return was != is && is == is;  // NOLINT(misc-redundant-expression): false for a NaN
}

}  // namespace

void resolve_step(const Program& program, const std::vector<Tensor>& known, MoveBudget& budget, Step& step,
                  Constants constants) {
  Resolution found;
  try {
    found = resolve_first(program, known, budget, step, constants);
    if (step.operations.size() > 1 && !says_every_operation(found.work))
      if (std::string why = add_stages(program, step, found.work); !why.empty() && found.opaque.empty())
        found.opaque = std::move(why);
  } catch (const Error& error) {  // what can't be computed says so when it runs, and so may the rest of the program
    found = {std::monostate(), error.what(), {}};
  }
  step.work = std::move(found.work);
  step.opaque = std::move(found.opaque);
  step.hazards.insert(step.hazards.end(), found.hazards.begin(), found.hazards.end());
}

namespace {

// Returns why steps can't run, by step.
std::map<std::size_t, std::string> resolve_all(Program& program, Constants constants) {
  InferredValues inferred = infer_values(program);
  for (Step& step : program.steps) step.hazards.clear();
  resolve_meanings(program);
  MoveBudget budget;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    Step& step = program.steps[s];
    if (const auto refused = inferred.refused.find(s); refused != inferred.refused.end()) {
      step.work = std::monostate();
      step.opaque = refused->second;
    } else {
      resolve_step(program, inferred.known, budget, step, constants);
    }
  }
  return std::move(inferred.refused);
}

}  // namespace

void resolve(Program& program) { resolve_all(program, Constants::kChanged); }

void resolve_again(Program& program) { resolve_all(program, Constants::kKept); }

Program specialized(Program program, const std::map<std::string, std::int64_t>& symbols) {
  for (const auto& [symbol, number] : symbols)
    if (number < 0) fail(ErrorCode::kUsage, "dimension {} can't be {}", symbol, number);
  const auto specialize = [&](std::optional<SymbolicShape>& shape) {
    if (!shape) return;
    for (Dim& dim : *shape)
      if (dim.is_symbol())
        if (const auto meant = symbols.find(dim.symbol()); meant != symbols.end()) dim = meant->second;
  };
  for (ProgramValue& value : program.values) specialize(value.shape);
  for (ProgramInput& input : program.inputs) specialize(input.type.shape);
  if (const auto refused = resolve_all(program, Constants::kKept); !refused.empty())
    throw Error(ErrorCode::kUsage, refused.begin()->second, program.steps[refused.begin()->first].name);
  return program;
}

void require_consistent(const Program& program) {
  require_order(program);
  require_constants(program);
  Program again = program;
  resolve(again);
  for (ValueId id = 0; id < program.values.size(); ++id) {
    const ProgramValue &was = program.values[id], &is = again.values[id];
    if (was.dtype != is.dtype) inconsistent(was.name, "its type is stale");
    if (was.shape != is.shape) inconsistent(was.name, "its shape is stale");
    if (is_stale(was.quantization, is.quantization)) inconsistent(was.name, "what its integers mean is stale");
  }
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const Step &was = program.steps[s], &is = again.steps[s];
    if (is_stale(was.work, is.work) || was.opaque != is.opaque) inconsistent(was.name, "its work is stale");
    if (was.hazards != is.hazards) inconsistent(was.name, "its hazards are stale");
  }
}

}  // namespace octet
