#include "octet/engine/fast_engine.h"

#include <algorithm>

#include "octet/base/error.h"
#include "octet/engine/fast/plan.h"
#include "octet/engine/operations.h"
#include "octet/engine/step_clock.h"
#include "octet/program/group_epilogues.h"
#include "octet/program/resolve.h"

namespace octet {
namespace {

constexpr auto kWhole = static_cast<std::size_t>(-1), kEveryValue = static_cast<std::size_t>(-2);
constexpr std::size_t kMostPlans = 16;

// What symbols mean where values of the program have these shapes.
std::map<std::string, std::int64_t> symbols_of(const Program& program, const std::vector<ValueId>& given,
                                               const std::vector<Shape>& shapes) {
  std::map<std::string, std::int64_t> symbols;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const std::optional<SymbolicShape>& declared = program.values[given[k]].shape;
    if (!declared || declared->size() != shapes[k].size()) continue;
    for (std::size_t d = 0; d < declared->size(); ++d)
      if ((*declared)[d].is_symbol()) symbols.emplace((*declared)[d].symbol(), shapes[k][d]);
  }
  return symbols;
}

// The step alone, as a program.
Program only(const Program& program, std::size_t index) {
  Program part = program;
  part.steps = {program.steps[index]};
  part.inputs.clear();
  for (const ValueId input : inputs_of(program, part.steps[0]))
    part.inputs.push_back({input, {program.values[input].dtype, program.values[input].shape}, {}});
  part.outputs = outputs_of(program, part.steps[0]);
  return part;
}

// What the steps have made so far.
void clear_results(const Program& program, std::vector<Tensor>& values) {
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue) values[output] = Tensor();
}

}  // namespace

FastEngine::FastEngine(Program program, const EngineOptions& options)
    : FastEngine(std::move(program), options, fast::chosen_simd()) {}

FastEngine::FastEngine(Program program, const EngineOptions& options, const fast::Simd& simd)
    : Engine(std::move(program), options.threads), simd_(simd) {}

FastEngine::~FastEngine() = default;

// Null where shapes do not fit: walking the steps one by one says which.
std::shared_ptr<const fast::Plan> FastEngine::plan_for(Key key, const std::vector<ValueId>& given) const try {
  const std::lock_guard lock(mutex_);
  if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
  const bool every_value = key.step != kWhole;
  Program part = key.step == kWhole || key.step == kEveryValue ? program() : only(program(), key.step);
  const std::map<std::string, std::int64_t> symbols = symbols_of(part, given, key.shapes);
  // Shapes are those that follow from what is given: files may declare others.
  for (const Step& step : part.steps)
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue) part.values[output].shape.reset();
  for (std::size_t k = 0; k < given.size(); ++k) part.values[given[k]].shape = symbolic(key.shapes[k]);
  part = specialized(std::move(part), symbols);
  if (!every_value) part = group_epilogues(std::move(part));
  auto plan = std::make_shared<const fast::Plan>(std::move(part), simd_, every_value);
  if (plans_.size() >= kMostPlans) plans_.clear();
  return plans_.emplace(std::move(key), std::move(plan)).first->second;
} catch (const std::exception&) {  // also where memory is short
  return nullptr;
}

std::shared_ptr<const fast::Plan> FastEngine::plan_for(const std::vector<Tensor>& values, bool every_value) const {
  const std::size_t kind = every_value ? kEveryValue : kWhole;
  const std::vector<ProgramInput>& inputs = program().inputs;
  {
    const std::lock_guard lock(mutex_);
    const auto same = [&](const ProgramInput& input, const Shape& shape) {
      return values[input.value].shape() == shape;
    };
    if (latest_ && latest_key_.step == kind &&
        std::equal(inputs.begin(), inputs.end(), latest_key_.shapes.begin(), latest_key_.shapes.end(), same))
      return latest_;
  }
  Key key{kind, {}};
  std::vector<ValueId> given;
  for (const ProgramInput& input : inputs) {
    given.push_back(input.value);
    key.shapes.push_back(values[input.value].shape());
  }
  std::shared_ptr<const fast::Plan> plan = plan_for(key, given);
  const std::lock_guard lock(mutex_);
  latest_key_ = std::move(key);
  latest_ = plan;
  return plan;
}

// A plan holds more at one time than walking the steps does, and keeps it: where memory is short, that gives way.
bool FastEngine::has_run(const fast::Plan& plan, const fast::PlanRun& run) const {
  try {
    if (plan.run(run)) return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kLimit) throw;
  }
  {
    const std::lock_guard lock(mutex_);
    plans_.clear();
    latest_.reset();
  }
  plan.forget();
  clear_results(plan.program(), run.values);
  return false;
}

void FastEngine::compute_all(std::vector<Tensor>& values, const Made& made, const RunOptions& options) const {
  if (const std::shared_ptr<const fast::Plan> plan = plan_for(values, static_cast<bool>(made))) {
    const std::size_t steps = plan->program().steps.size();
    fast::PlanRun run{.values = values, .parallel = parallel(), .made = made};
    if (options.progress) run.after = [&](std::size_t done) { options.progress(done + 1, steps); };
    if (!made) {
      if (has_run(*plan, run)) return;
    } else {  // where memory is short, nobody is shown a value twice
      if (plan->run(run)) return;
      clear_results(plan->program(), values);
    }
  }
  Engine::compute_all(values, made, options);
}

std::vector<StepKernel> FastEngine::kernels() const {
  Key key{kWhole, {}};
  std::vector<ValueId> given;
  for (const ProgramInput& input : program().inputs) {
    Shape shape;
    for (const Dim& dim : input.type.shape.value_or(SymbolicShape())) shape.push_back(dim.known() ? dim.value() : 1);
    given.push_back(input.value);
    key.shapes.push_back(std::move(shape));
  }
  const std::shared_ptr<const fast::Plan> plan = plan_for(std::move(key), given);
  if (!plan) return Engine::kernels();
  std::vector<StepKernel> found;
  for (const Step& step : plan->program().steps) found.push_back({step.name, plan->describe(found.size())});
  return found;
}

std::vector<StepTime> FastEngine::time_steps(const NamedTensors& inputs, int repetitions) const {
  const std::vector<Tensor> given = initial_values(inputs);
  const std::shared_ptr<const fast::Plan> plan = plan_for(given, false);
  if (!plan) return Engine::time_steps(inputs, repetitions);
  StepClock clock(plan->program().steps.size());
  for (int i = 0; i < std::max(repetitions, 1); ++i) {
    std::vector<Tensor> values = given;
    if (!plan->run({.values = values,
                    .parallel = parallel(),
                    .before = [&](std::size_t) { clock.start(); },
                    .after = [&](std::size_t step) { clock.stop(step); }}))
      return Engine::time_steps(inputs, repetitions);
  }
  std::vector<StepTime> steps;
  for (const Step& step : plan->program().steps) {
    const std::size_t s = steps.size();
    const ValueId y = step.operations.back().outputs.front();
    const std::optional<Shape> shape =
        y == kNoValue || !plan->program().values[y].shape ? std::nullopt : concrete(*plan->program().values[y].shape);
    steps.push_back({step.name, plan->describe(s), shape ? multiply_adds(step.work, element_count(*shape)) : 0,
                     clock.median_nanoseconds(s)});
  }
  return steps;
}

void FastEngine::compute_step(std::size_t index, std::vector<Tensor>& values, const Made& made) const {
  const Step& step = program().steps[index];
  if (step.operations.size() == 1) {  // else the values inside it are wanted too
    Key key{index, {}};
    const std::vector<ValueId> given = inputs_of(program(), step);
    for (const ValueId input : given) key.shapes.push_back(values[input].shape());
    const std::shared_ptr<const fast::Plan> plan = plan_for(std::move(key), given);
    if (plan && plan->fits(values) && has_run(*plan, {.values = values, .parallel = parallel(), .made = made}))
      return plan->forget();
  }
  Engine::compute_step(index, values, made);
}

void FastEngine::compute(std::size_t index, std::vector<Tensor>& values) const {
  run_operations(program(), program().steps[index], values, {Arithmetic(), parallel()});
}

}  // namespace octet
