#include "octet/tune/trials.h"

#include <optional>
#include <span>
#include <utility>

#include "octet/base/sha256.h"
#include "octet/graph/model_hash.h"
#include "octet/program/lower.h"
#include "octet/quantize/quantize_model.h"

namespace octet {

namespace {

// Of the samples that calibrate, and what the baseline has of the others.
std::string hash_of_inputs(const Trials& trials) {
  Sha256 hash;
  const auto samples = trials.runs.samples(trials.model);
  while (const std::optional<Batch> batch = samples->next(trials.runs.batch))
    for (const auto& [name, tensor] : batch->inputs) hash.add(tensor.bytes());
  hash.add(std::as_bytes(std::span(trials.baseline->fingerprint())));
  return hash.hex();
}

}  // namespace

Trials make_trials(Model model, SampleRuns runs, const std::string& name, const Progress& progress,
                   const OtherSamples& others) {
  Trials trials{.model_hash = model_hash(model), .runs = std::move(runs)};
  trials.model = simplified_model(std::move(model), name);
  const auto reference =
      make_engine(trials.runs.engine, lower(trials.model, Policy::kAsWritten), {.threads = trials.runs.threads});
  // With copies of its own: Trials may be moved.
  const auto baseline = [&](const OtherSamples::Open& samples) {
    return std::make_unique<Baseline>(
        *reference, [samples, copy = trials.model] { return samples(copy); }, trials.runs.batch, progress);
  };
  trials.baseline = baseline(others.choosing ? others.choosing : trials.runs.samples);
  if (others.judging) trials.judge = baseline(others.judging);
  trials.fingerprint = others.choosing ? hash_of_inputs(trials) : trials.baseline->fingerprint();
  return trials;
}

}  // namespace octet
