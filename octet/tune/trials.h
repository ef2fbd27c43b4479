// trials.h: a float model, run once on samples, to which ways of quantizing it are held.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "octet/base/progress.h"
#include "octet/evaluate/baseline.h"
#include "octet/graph/model.h"
#include "octet/quantize/sample_runs.h"

namespace octet {

struct Trials {
  Model model;                               // simplified (quantize_model.h)
  std::string model_hash;                    // of the model as it was loaded
  std::unique_ptr<const Baseline> baseline;  // on the samples that choose
  std::unique_ptr<const Baseline> judge;     // on held-out samples; null where there are none
  SampleRuns runs;                           // over the samples that calibrate
  std::string fingerprint;                   // of these, and of what the float network makes of those that choose
};

// Samples for what `runs` does not do, where they are others; empty: the same, and nobody judges.
struct OtherSamples {
  using Open = std::function<std::unique_ptr<SampleStream>(const Model&)>;
  Open choosing, judging;
};

// Runs the float model over all samples. Throws kUsage, naming `name`, when the model is quantized already, and when there are no
// samples. Progress counts samples.
Trials make_trials(Model model, SampleRuns runs, const std::string& name = "the model", const Progress& progress = {},
                   const OtherSamples& others = {});

}  // namespace octet
