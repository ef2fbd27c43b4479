#include "octet/engine/fast_engine.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "octet/base/error.h"
#include "octet/engine/fast/batch.h"
#include "octet/engine/fast/lru_cache.h"
#include "octet/engine/fast/weight_store.h"
#include "octet/engine/operations.h"
#include "octet/engine/run_checks.h"
#include "octet/engine/step_clock.h"
#include "octet/program/prepare.h"

namespace octet {
namespace {

constexpr auto kWhole = static_cast<std::size_t>(-1), kEveryValue = static_cast<std::size_t>(-2);

// How many plans of the program, or of a step, are kept.
std::size_t most_plans(std::size_t step) {
  return step == kWhole || step == kEveryValue ? 16 : 2;  // a step's: as many as a batch and its rest have
}

std::vector<ValueId> ids_of(const std::vector<ProgramInput>& inputs) {
  std::vector<ValueId> ids;
  for (const ProgramInput& input : inputs) ids.push_back(input.value);
  return ids;
}

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

// The values that the step mentions, each once: their numbers where it is a program of its own.
class OwnNumbers {
 public:
  explicit OwnNumbers(const Step& step) {
    for (const Operation& operation : step.operations)
      for (const auto* values : {&operation.inputs, &operation.outputs})
        for (const ValueId value : *values)
          if (value != kNoValue) values_.push_back(value);
    std::ranges::sort(values_);
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  }

  const std::vector<ValueId>& values() const { return values_; }
  ValueId of(ValueId value) const {
    if (value == kNoValue) return kNoValue;
    return static_cast<ValueId>(std::ranges::lower_bound(values_, value) - values_.begin());
  }
  std::vector<ValueId> of(std::vector<ValueId> values) const {
    for (ValueId& value : values) value = of(value);
    return values;
  }

 private:
  std::vector<ValueId> values_;
};

// The step alone, as a program of the values that it mentions.
Program only(const Program& program, std::size_t index) {
  const Step& step = program.steps[index];
  const OwnNumbers own(step);
  Program part{.name = program.name,
               .policy = program.policy,
               .ir_version = program.ir_version,
               .opset_imports = program.opset_imports,
               .outputs = own.of(outputs_of(program, step)),
               .steps = {step}};
  for (const ValueId value : own.values()) part.values.push_back(program.values[value]);
  for (Operation& operation : part.steps[0].operations) {
    operation.inputs = own.of(std::move(operation.inputs));
    operation.outputs = own.of(std::move(operation.outputs));
  }
  for (const ValueId input : inputs_of(program, step))
    part.inputs.push_back({own.of(input), {program.values[input].dtype, program.values[input].shape}, {}});
  return part;
}

// For each step, how many operations there are up to its end.
std::vector<std::size_t> operations_up_to(const Program& program) {
  std::vector<std::size_t> ends;
  for (const Step& step : program.steps) ends.push_back((ends.empty() ? 0 : ends.back()) + step.operations.size());
  return ends;
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

// The plan for the values that are given, by ValueId; of a step alone by its own numbers.
struct FastEngine::PlanRequest {
  std::size_t step;  // or kWhole, or kEveryValue
  const std::vector<ValueId>& given;
  const std::vector<Tensor>& values;

  const Shape& shape(std::size_t k) const { return values[given[k]].shape(); }
};

struct FastEngine::Key {
  std::size_t step;
  std::vector<Shape> shapes;

  Key(std::size_t s, std::vector<Shape> all) : step(s), shapes(std::move(all)) {}
  explicit Key(const PlanRequest& request) : step(request.step) {
    for (std::size_t k = 0; k < request.given.size(); ++k) shapes.push_back(request.shape(k));
  }

  bool operator==(const Key&) const = default;
  bool operator==(const PlanRequest& request) const {
    if (step != request.step) return false;
    for (std::size_t k = 0; k < shapes.size(); ++k)
      if (shapes[k] != request.shape(k)) return false;
    return true;
  }
};

class FastEngine::Plans {
 public:
  Plans(const Program& program, std::int64_t most_bytes, const fast::BatchSplit& split)
      : cut(split), weights(program), latest(most_bytes), program_(program) {}

  // The program, with what needs no shapes computed once for all plans. Throws what computing a constant throws.
  const Program& whole() {
    std::call_once(folded_once_, [&] {
      Program folded = prepare_for_all_shapes(program_, Target::kFastEngine);
      if (folded.steps.size() == program_.steps.size()) return;
      folded_ = std::make_unique<const Program>(std::move(folded));
      weights.add(*folded_);
    });
    return folded_ ? *folded_ : program_;
  }

  const fast::BatchSplit cut;
  fast::WeightStore weights;
  fast::LruCache<Key, fast::Batch> latest;  // those of the program, and those of each step

 private:
  const Program& program_;
  std::once_flag folded_once_;
  std::unique_ptr<const Program> folded_;  // null: nothing to fold
};

FastEngine::FastEngine(Program given, const EngineOptions& options, const fast::Simd& simd)
    : FastEngine(std::move(given), options, simd, fast::BatchSplit()) {}

FastEngine::FastEngine(Program given, const EngineOptions& options, const fast::Simd& simd, const fast::BatchSplit& cut)
    : Engine(std::move(given), options),
      simd_(simd),
      inputs_(ids_of(program().inputs)),
      operations_up_to_(operations_up_to(program())),
      plans_(std::make_unique<Plans>(program(), options.plan_bytes, cut)) {}

FastEngine::~FastEngine() = default;

std::shared_ptr<const fast::Batch> FastEngine::make_plan(const Key& key, const std::vector<ValueId>& given) const {
  const bool every_value = key.step != kWhole;
  Program part = key.step == kWhole ? plans_->whole() : key.step == kEveryValue ? program() : only(program(), key.step);
  const std::map<std::string, std::int64_t> symbols = symbols_of(part, given, key.shapes);
  // Shapes are those that follow from what is given: files may declare others.
  for (const Step& step : part.steps)
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue) part.values[output].shape.reset();
  for (std::size_t k = 0; k < given.size(); ++k) part.values[given[k]].shape = symbolic(key.shapes[k]);
  part = octet::prepare(std::move(part), every_value ? Target::kEveryValue : Target::kFastEngine, symbols);
  return std::make_shared<const fast::Batch>(std::move(part), simd_, every_value, parallel().threads(), plans_->cut,
                                             &plans_->weights);
}

std::shared_ptr<const fast::Batch> FastEngine::make_plan_if_fit(const Key& key, const std::vector<ValueId>& given) const
    try {
  return make_plan(key, given);
} catch (const Error& error) {
  if (error.code() == ErrorCode::kLimit) throw;  // perhaps there is memory another time
  return nullptr;
}

std::shared_ptr<const fast::Batch> FastEngine::plan_for(const PlanRequest& request) const try {
  return plans_->latest.get(request.step, most_plans(request.step), request,
                            [&](const Key& key) { return make_plan_if_fit(key, request.given); });
} catch (const std::exception&) {
  return nullptr;
}

// A plan holds more at one time than walking the steps does, and keeps it: where memory is short, that gives way.
bool FastEngine::try_run(const fast::Batch& plan, const fast::PlanRun& run) const {
  fast::PlanOutcome outcome = fast::PlanOutcome::kNoMemory;
  try {
    outcome = plan.run(run);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kLimit) throw;
  }
  if (outcome == fast::PlanOutcome::kDone) return true;
  if (outcome == fast::PlanOutcome::kAnotherShape) {
    plans_->latest.give_up(plan);
  } else {
    plans_->latest.clear();
    plans_->weights.clear();
  }
  plan.forget();
  clear_results(plan.plan().program(), run.values);
  return false;
}

bool FastEngine::try_run_all(std::vector<Tensor>& values, std::span<const Buffer> bound, const ValueCallback& made,
                             const RunOptions& options) const {
  const std::size_t which = made ? kEveryValue : kWhole;
  const std::shared_ptr<const fast::Batch> plan = plan_for({which, inputs_, values});
  if (!plan) return false;
  fast::PlanRun run{.values = values, .parallel = parallel(), .bound = bound, .made = made, .stop = options.stop};
  run.before = [&](std::size_t) { end_if_asked(options); };
  // Where values are wanted one by one, a plan has a step for each operation.
  const std::size_t steps = made ? program().steps.size() : plan->plan().program().steps.size();
  struct {
    std::size_t done;
    const std::size_t total;
    std::mutex mutex;
    bool has_thrown;
  } report{0, steps * static_cast<std::size_t>(plan->slices()), {}, false};
  if (options.progress)
    run.after = [&](std::size_t step) {
      const std::lock_guard lock(report.mutex);
      if (made && !std::ranges::binary_search(operations_up_to_, step + 1)) return;
      if (std::exchange(report.has_thrown, true)) return;  // in another slice
      options.progress(++report.done, report.total);
      report.has_thrown = false;
    };
  return try_run(*plan, run);
}

void FastEngine::compute_all(std::vector<Tensor>& values, const ValueCallback& made, const RunOptions& options) const {
  if (!options.keep_all) {
    if (!try_run_all(values, {}, made, options)) walk(0, values, made, options);
    return;
  }
  // Where it gives way, it goes on from what has been kept anyway: to make that again would take more memory.
  std::vector<Tensor> kept(values.size());
  std::size_t done = 0;
  const auto keep = [&](ValueId value, const Tensor& tensor) {
    kept[value] = tensor;
    made(value, tensor);
  };
  const auto count = [&](std::size_t steps, std::size_t total) {
    done = steps;
    if (options.progress) options.progress(steps, total);
  };
  if (try_run_all(values, {}, keep, {.progress = count, .stop = options.stop})) return;
  for (std::size_t s = 0; s < done; ++s)
    for (const Operation& operation : program().steps[s].operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue) values[output] = std::move(kept[output]);
  kept.clear();
  walk(done, values, made, options);
}

void FastEngine::compute_bound(std::vector<Tensor>& values, std::span<const Buffer> bound,
                               const RunOptions& options) const {
  if (try_run_all(values, bound, {}, options)) return deliver(values, bound);
  std::vector<Tensor> own = values;
  walk(0, own, {}, options);
  deliver(own, bound);
}

void FastEngine::prepare_shapes(const std::vector<Shape>& shapes) const {
  const Key key(kWhole, shapes);
  const auto make = [&](const Key& of) { return make_plan_if_fit(of, inputs_); };
  if (!plans_->latest.get(kWhole, most_plans(kWhole), key, make)) make_plan(key, inputs_);  // says why
}

std::int64_t FastEngine::packed_weight_bytes() const { return plans_->weights.bytes(); }
std::int64_t FastEngine::plan_bytes() const { return plans_->latest.bytes(); }

std::vector<StepKernel> FastEngine::kernels() const {
  Key key(kWhole, {});
  for (const ProgramInput& input : program().inputs) {
    Shape& shape = key.shapes.emplace_back();
    for (const Dim& dim : input.type.shape.value_or(SymbolicShape())) shape.push_back(dim.known() ? dim.value() : 1);
  }
  const std::shared_ptr<const fast::Batch> plan = make_plan_if_fit(key, inputs_);
  if (!plan) return Engine::kernels();
  std::vector<StepKernel> found;
  for (const Step& step : plan->plan().program().steps)
    found.push_back({step.name, plan->plan().describe(found.size())});
  return found;
}

std::vector<StepTime> FastEngine::time_steps(const NamedTensors& inputs, int repetitions) const {
  const std::vector<Tensor> given = initial_values(inputs);
  const std::shared_ptr<const fast::Batch> plan = plan_for({kWhole, inputs_, given});
  if (!plan) return Engine::time_steps(inputs, repetitions);
  StepClock clock(plan->plan().program().steps.size());
  const std::int64_t at_once = std::min<std::int64_t>(plan->slices(), parallel().threads());
  for (int i = 0; i < std::max(repetitions, 1); ++i) {
    std::vector<Tensor> values = given;
    std::mutex mutex;
    std::vector<double> spent(plan->plan().program().steps.size());  // by all threads
    thread_local StepClock::Clock::time_point started;
    const fast::PlanRun run{.values = values,
                            .parallel = parallel(),
                            .before = [](std::size_t) { started = StepClock::Clock::now(); },
                            .after =
                                [&](std::size_t step) {
                                  const double nanoseconds = StepClock::nanoseconds_since(started);
                                  const std::lock_guard lock(mutex);
                                  spent[step] += nanoseconds;
                                }};
    if (plan->run(run) != fast::PlanOutcome::kDone) return Engine::time_steps(inputs, repetitions);
    for (std::size_t s = 0; s < spent.size(); ++s) clock.add(s, spent[s] / static_cast<double>(at_once));
  }
  std::vector<StepTime> steps;
  for (const Step& step : plan->plan().program().steps) {
    const std::size_t s = steps.size();
    const ValueId y = step.operations.back().outputs.front();
    const std::optional<Shape> shape = y == kNoValue || !plan->plan().program().values[y].shape
                                           ? std::nullopt
                                           : concrete(*plan->plan().program().values[y].shape);
    steps.push_back({step.name, plan->plan().describe(s),
                     shape ? plan->of_all_images(multiply_adds(step.work, element_count(*shape))) : 0,
                     clock.median_nanoseconds(s), computes_in_float(step.work)});
  }
  return steps;
}

void FastEngine::compute_step(std::size_t index, std::vector<Tensor>& values, const ValueCallback& made,
                              const std::stop_token& stop) const {
  const Step& step = program().steps[index];
  const OwnNumbers own(step);
  std::vector<Tensor> mentioned;
  for (const ValueId value : own.values()) mentioned.push_back(values[value]);
  const std::shared_ptr<const fast::Batch> plan = plan_for({index, own.of(inputs_of(program(), step)), mentioned});
  fast::PlanRun run{.values = mentioned, .parallel = parallel(), .stop = stop};
  if (made) run.made = [&](ValueId value, const Tensor& tensor) { made(own.values()[value], tensor); };
  if (plan && plan->plan().fits(mentioned) && try_run(*plan, run)) {
    for (const ValueId output : outputs_of(program(), step)) values[output] = std::move(mentioned[own.of(output)]);
    return plan->forget();
  }
  Engine::compute_step(index, values, made, stop);
}

void FastEngine::compute(std::size_t index, std::vector<Tensor>& values, const std::stop_token& stop) const {
  run_operations(program(), program().steps[index], values, {Arithmetic(), parallel(), stop});
}

}  // namespace octet
