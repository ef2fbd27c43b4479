// repair.h: the methods that make 8 bits hurt less, in the order in which they work. Each makes another float model; plan() then
// decides as ever. None costs anything when the network runs.
//
//   equalize()       before ranges are observed: it changes them
//   round_weights()  behind it: it changes weights, not their scales
//   correct_biases() last: it takes back what the others leave
#pragma once

#include <optional>
#include <vector>

#include "octet/base/progress.h"
#include "octet/quantize/bias_correction.h"
#include "octet/quantize/equalize.h"
#include "octet/quantize/plan.h"
#include "octet/quantize/round_weights.h"
#include "octet/quantize/sample_runs.h"

namespace octet {

struct Repairs {
  std::optional<BoundedClamps> equalize;
  bool round_weights = false;
  std::optional<BiasCorrection> biases;

  bool operator==(const Repairs&) const = default;
};

struct Repaired {
  Model model;
  std::vector<RoundedWeights> rounded;
  std::vector<CorrectedBias> corrected;
};

struct RepairProgress {
  Progress rounding, biases;
};

// What comes behind the ranges, of a simplified model that is equalized already where that is asked for.
Repaired repair(Model equalized, const Ranges& ranges, const StaticOptions& options, const Selection& selection,
                const Repairs& repairs, const SampleRuns& runs, const RepairProgress& progress = {});

}  // namespace octet
