#include "octet/quantize/observe.h"

#include <algorithm>
#include <exception>
#include <mutex>

#include "octet/base/fail.h"
#include "octet/base/parallel.h"
#include "octet/graph/infer.h"
#include "octet/program/lower.h"
#include "octet/quantize/observable.h"
#include "octet/quantize/plan.h"

namespace octet {
namespace {

// Elements of an activation that stay in the cache until they have been observed and read again.
constexpr std::int64_t kElements = 1 << 14;

// Elements of one sample; dimensions that are not known count as 1.
struct Elements {
  static constexpr std::int64_t kMost = std::int64_t{1} << 30;  // of a tensor; more are not told apart
  std::int64_t largest = 1, all = 0;
};

Elements elements_of(const Model& model, const std::set<std::string>& tensors) {
  Elements found;
  const Facts facts = infer(model);
  for (const std::string& tensor : tensors) {
    const auto fact = facts.find(tensor);
    if (fact == facts.end() || !fact->second.shape) continue;
    std::int64_t elements = 1;
    for (const Dim& dim : *fact->second.shape)
      if (dim.known() && elements < Elements::kMost)
        elements *= std::clamp<std::int64_t>(dim.value(), 1, Elements::kMost);
    found.largest = std::max(found.largest, elements);
    found.all += elements;
  }
  return found;
}

// Those that steps make, in their order.
std::vector<ValueId> made_values(const Program& program, const std::set<std::string>& tensors) {
  std::vector<ValueId> made;
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations)
      for (const ValueId output : operation.outputs)
        if (output != kNoValue && tensors.contains(program.values[output].name)) made.push_back(output);
  return made;
}

// Hands out samples to threads, in order, until there are no more or one has failed.
class Queue {
 public:
  Queue(SampleStream& samples, std::int64_t together, Progress progress)
      : stream_(samples),
        together_(together),
        total_(static_cast<std::size_t>(samples.total().value_or(0))),
        progress_(std::move(progress)) {}

  // Calls run(inputs, span) for every batch that it gets hold of.
  template <typename Run>
  void work(Run run) {
    for (;;) {
      SampleSpan span{0, 0};
      try {
        const std::optional<Batch> batch = take(span);
        if (!batch) return;
        run(batch->inputs, span);
      } catch (...) {
        failed(span, std::current_exception());
        return;
      }
      finished(span);
    }
  }

  // The number of samples. Throws what failed: whatever the threads, that of the first sample that did.
  std::int64_t finish() const {
    if (error_) std::rethrow_exception(error_);
    return taken_;
  }

 private:
  std::optional<Batch> take(SampleSpan& span) {
    const std::lock_guard lock(mutex_);
    if (error_) return std::nullopt;
    span.first = taken_;
    std::optional<Batch> batch = stream_.next(together_);
    if (!batch) return std::nullopt;
    span.count = batch->samples;
    taken_ += batch->samples;
    return batch;
  }

  void failed(const SampleSpan& span, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (error_ && first_failed_ < span.first) return;
    error_ = std::move(error);
    first_failed_ = span.first;
  }

  void finished(const SampleSpan& span) {
    const std::lock_guard lock(mutex_);
    done_ += static_cast<std::size_t>(span.count);
    if (progress_) progress_(done_, std::max(done_, total_));
  }

  std::mutex mutex_;
  SampleStream& stream_;
  const std::int64_t together_;
  const std::size_t total_;
  const Progress progress_;
  std::int64_t taken_ = 0, first_failed_ = 0;
  std::size_t done_ = 0;
  std::exception_ptr error_;
};

}  // namespace

RangesFile observe(const Model& model, SampleStream& samples, const ObserveOptions& options) {
  const std::set<std::string> tensors = options.tensors.empty() ? tensors_to_observe(model) : options.tensors;
  const Elements elements = elements_of(model, tensors);
  Program program = lower(observable_part(model), Policy::kAsWritten);
  // As outputs, where memory allows it: an engine may then compute what lies between them as it likes. Else one by one.
  const std::vector<ValueId> made = made_values(program, tensors);
  const bool as_outputs = elements.all <= options.kept && !made.empty();
  if (as_outputs) program.outputs = made;
  const auto engine = make_engine(options.engine, std::move(program), {.threads = 1});
  Calibrator calibrator(tensors, options.calibration, options.others);
  // So many samples that calls are worth their while, so few that activations stay in the cache.
  const std::int64_t together = std::clamp<std::int64_t>(kElements / elements.largest, 1, options.batch);
  Queue queue(samples, together, options.progress);
  const Parallel parallel(options.threads);
  parallel.for_each_block(parallel.threads(), 1, [&](std::int64_t, std::int64_t) {
    queue.work([&](const NamedTensors& inputs, const SampleSpan& span) {
      const auto see = [&](const std::string& name, const Tensor& value) { calibrator.observe(name, value, span); };
      for (const auto& [name, value] : inputs) see(name, value);
      if (!as_outputs) {
        engine->run(inputs, {.observe = see});
        return;
      }
      const NamedTensors results = engine->run(inputs);
      for (const ValueId value : made) {
        const std::string& name = engine->program().values[value].name;
        see(name, results.at(name));
      }
    });
  });
  const std::int64_t count = queue.finish();
  if (count == 0) fail(ErrorCode::kUsage, "there are no calibration samples");
  RangesFile result{.calibration = std::string(name(options.calibration.method)), .samples = count};
  if (options.calibration.method == Calibration::kPercentile) result.percentile = options.calibration.percentile;
  result.ranges = calibrator.ranges();
  for (const auto& [tensor, other] : options.others) result.others[tensor] = to_string(other);
  return result;
}

Ranges observed_ranges(const Model& model, const CalibrationOptions& calibration, const SampleRuns& runs,
                       const Progress& progress) {
  return observe(model, *runs.samples(model),
                 {.calibration = calibration,
                  .batch = runs.batch,
                  .engine = runs.engine,
                  .threads = runs.threads,
                  .progress = progress})
      .ranges;
}

}  // namespace octet
