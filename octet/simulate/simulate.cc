#include "octet/simulate/simulate.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "octet/base/fail.h"
#include "octet/base/visit.h"
#include "octet/evaluate/evaluate.h"

namespace octet {
namespace {

// The integers that a program's integer steps compute, by step: bytes, and the sums of those that stop there.
struct Observed {
  std::size_t step;
  std::string name;
};

std::vector<Observed> integer_values(const Program& program) {
  std::vector<Observed> values;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    if (!is_quantized(program.steps[s].kind)) continue;
    for (const Operation& operation : program.steps[s].operations)
      for (const ValueId value : operation.outputs) {
        if (value == kNoValue) continue;
        const DType dtype = program.values[value].dtype;
        if (dtype == DType::kInt8 || dtype == DType::kUint8 || dtype == DType::kInt32)
          values.push_back({s, program.values[value].name});
      }
  }
  return values;
}

void compare(const Tensor& want, const Tensor& got, std::size_t step, Damage& damage) {
  std::int64_t differing = 0, largest = 0;
  const auto count = [&]<typename T>() {
    const std::span<const T> a = want.as<T>(), b = got.as<T>();
    for (std::size_t k = 0; k < a.size(); ++k) {
      const std::int64_t difference = std::abs(std::int64_t{a[k]} - b[k]);
      differing += difference != 0;
      largest = std::max(largest, difference);
    }
  };
  if (want.dtype() == DType::kInt32)
    count.operator()<std::int32_t>();
  else
    visit_8bit(want.dtype(), count);
  damage.elements += want.size();
  damage.differing += differing;
  damage.largest = std::max(damage.largest, largest);
  if (differing > 0) damage.first_step = std::min(damage.first_step.value_or(step), step);
}

}  // namespace

double accuracy_change(const Score& exact, const Damage& damage) { return damage.score.accuracy() - exact.accuracy(); }

Simulated simulate(const Program& exact, const std::vector<Variant>& variants, SampleStream& samples,
                   const SimulateOptions& options) {
  const NamedEngine& named = engine_named(options.engine);
  const auto engine = make_engine(named, exact, {.threads = options.threads});
  std::vector<std::unique_ptr<const Engine>> others;
  for (const Variant& variant : variants) {
    const EngineOptions how{.arithmetic = variant.arithmetic, .integer_steps_only = true, .threads = options.threads};
    others.push_back(make_engine(can_run(named, how) ? named : engines().front(), variant.program, how));
  }
  const std::vector<Observed> observed = integer_values(exact);
  const auto output = [](const Engine& of) { return of.program().values[of.program().outputs.at(0)].name; };
  Simulated result;
  result.damages.resize(variants.size());
  const auto total = static_cast<std::size_t>(samples.total().value_or(0)) * (others.size() + 1);
  std::size_t done = 0;
  const auto report = [&](const Batch& batch) {
    done += static_cast<std::size_t>(batch.samples);
    if (options.progress) options.progress(done, std::max(done, total));
  };
  while (const std::optional<Batch> batch = samples.next(options.batch)) {
    result.labelled &= !batch->labels.empty();
    const NamedTensors want = engine->run(batch->inputs, {.keep_all = true});
    add_scores(result.exact, want.at(output(*engine)), *batch);
    report(*batch);
    for (std::size_t v = 0; v < others.size(); ++v) {
      const NamedTensors got = others[v]->run(batch->inputs, {.keep_all = true});
      add_scores(result.damages[v].score, got.at(output(*others[v])), *batch);
      for (const Observed& value : observed) {
        const auto found = got.find(value.name);
        const Tensor& reference = want.at(value.name);
        if (found != got.end() && found->second.dtype() == reference.dtype() &&
            found->second.shape() == reference.shape())
          compare(reference, found->second, value.step, result.damages[v]);
      }
      report(*batch);
    }
  }
  if (result.exact.samples() == 0) fail(ErrorCode::kUsage, "there are no samples");
  return result;
}

}  // namespace octet
