// scheme_options.h: how the commands that try quantization out quantize.
#pragma once

#include <string>

#include "cli/parser.h"
#include "cli/samples_options.h"
#include "octet/quantize/choice_names.h"
#include "octet/quantize/options.h"
#include "octet/tune/trials.h"

namespace octet::cli {

struct SchemeOptions {
  std::string activations;  // empty: as the target wants it
  std::string target = choice_name(Deployment::kHardware);
  bool per_tensor = false, symmetric_activations = false;
};
void add_scheme_options(CommandLine line, SchemeOptions& options);
StaticOptions static_options(const SchemeOptions& options);

// From the model and the samples that the command line names.
Trials trials_of(const std::string& model, const SamplesOptions& samples, const RunEngine& engine,
                 const OtherSamples& others = {});

}  // namespace octet::cli
