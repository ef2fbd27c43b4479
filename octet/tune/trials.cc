#include "octet/tune/trials.h"

#include <utility>

#include "octet/graph/model_hash.h"
#include "octet/program/lower.h"
#include "octet/quantize/quantize_model.h"

namespace octet {

Trials make_trials(Model model, SampleRuns runs, const std::string& name, const Progress& progress) {
  Trials trials{.model_hash = model_hash(model), .runs = std::move(runs)};
  trials.model = simplified_model(std::move(model), name);
  const auto reference =
      make_engine(trials.runs.engine, lower(trials.model, Policy::kAsWritten), {.threads = trials.runs.threads});
  // With copies of its own: Trials may be moved.
  trials.baseline = std::make_unique<Baseline>(
      *reference, [samples = trials.runs.samples, copy = trials.model] { return samples(copy); }, trials.runs.batch,
      progress);
  return trials;
}

}  // namespace octet
