// trials.h: a float model, run once on samples, to which ways of quantizing it are held.
#pragma once

#include <memory>
#include <string>

#include "octet/base/progress.h"
#include "octet/evaluate/baseline.h"
#include "octet/graph/model.h"
#include "octet/quantize/sample_runs.h"

namespace octet {

struct Trials {
  Model model;             // simplified (quantize_model.h)
  std::string model_hash;  // of the model as it was loaded
  std::unique_ptr<const Baseline> baseline;
  SampleRuns runs;
};

// Runs the float model over all samples. Throws kUsage, naming `name`, when the model is quantized already, and when there are no
// samples. Progress counts samples.
Trials make_trials(Model model, SampleRuns runs, const std::string& name = "the model", const Progress& progress = {});

}  // namespace octet
