// scheme_options.h: how the commands that try quantization out quantize, and what they hold it to.
#pragma once

#include <memory>
#include <string>

#include "cli/parser.h"
#include "cli/samples_options.h"
#include "octet/evaluate/yardstick.h"
#include "octet/quantize/calibrate.h"
#include "octet/quantize/options.h"
#include "octet/quantize/plan.h"
#include "octet/text/json.h"

namespace octet::cli {

struct SchemeOptions {
  std::string activations = "int8";
  bool per_tensor = false, symmetric_activations = false;
};
void add_scheme_options(CommandLine line, SchemeOptions& options);
StaticOptions static_options(const SchemeOptions& options);

// How the trials run.
struct TrialEngine {
  std::string name;
  int threads = 0;
};

// A float model, run once on samples that calibrate too.
struct Trials {
  Model model;  // simplified
  std::string model_hash;
  std::unique_ptr<const Yardstick> yardstick;
  SamplesOptions samples;
  TrialEngine engine;

  // Of every activation that a plan may ask for.
  Ranges ranges(Calibration calibration, const Encoding& encoding) const;
};
Trials trials_of(const std::string& model, const SamplesOptions& samples, const TrialEngine& engine);

// The signal to noise ratio, and where there are labels what is right, beside the float model.
Json measured_json(const Measured& measured, const Yardstick& yardstick);

}  // namespace octet::cli
