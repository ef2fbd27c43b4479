// tune_state.h: what a search has tried, in a file from which an interrupted one goes on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "octet/tune/trials.h"
#include "octet/tune/tune.h"

namespace octet {

struct TuneState {
  std::string model_hash, fingerprint;  // of the float model, and of what it makes of the samples
  DType activations = DType::kInt8;
  bool labelled = false;
  std::vector<Tried> tried;
};

// Empty where there is no such file. Throws kFormat when it can't be read, and kUsage when it is of another model, other
// samples or another type.
TuneState load_tune_state(const std::filesystem::path& file, const Trials& trials, DType activations);
void save_tune_state(const TuneState& state, const std::filesystem::path& file);

// tune() with what the file knows; each scheme is added to it as soon as it was tried. An empty path: no file. Throws kFormat,
// naming the file, when it contradicts what is measured.
Tuned tune_from_state(const Trials& trials, TuneOptions options, const std::filesystem::path& file);

}  // namespace octet
