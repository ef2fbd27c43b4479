// tune_state.h: what octet tune has tried, in a file from which an interrupted search goes on.
#pragma once

#include <string>
#include <vector>

#include "cli/scheme_options.h"
#include "octet/text/json.h"
#include "octet/tune/tune.h"

namespace octet::cli {

struct TuneState {
  std::string model_hash, fingerprint;  // of the float model, and of what it makes of the samples
  std::string activations;
  bool labelled = false;
  std::vector<Tried> tried;
};

// One way to quantize and how it fared; the accuracy only where there are labels.
Json tried_json(const Tried& tried, bool labelled);

// Empty where there is no such file. Throws kFormat when it can't be read, and kUsage when it is of another model, other
// samples or another type.
TuneState load_state(const std::string& file, const Trials& trials, const std::string& activations);
// Nothing where `file` is empty.
void save_state(const TuneState& state, const std::string& file);

}  // namespace octet::cli
