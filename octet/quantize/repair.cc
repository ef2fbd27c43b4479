#include "octet/quantize/repair.h"

namespace octet {

Repaired repair(Model equalized, const Ranges& ranges, const StaticOptions& options, const Selection& selection,
                const Repairs& repairs, const SampleRuns& runs, const RepairProgress& progress) {
  Repaired result{.model = std::move(equalized)};
  if (repairs.round_weights) {
    Rounded rounded = round_weights(std::move(result.model), ranges, options, selection, runs, progress.rounding);
    result.model = std::move(rounded.model);
    result.rounded = std::move(rounded.layers);
  }
  if (repairs.biases) {
    Corrected corrected =
        correct_biases(std::move(result.model), ranges, options, selection, *repairs.biases, runs, progress.biases);
    result.model = std::move(corrected.model);
    result.corrected = std::move(corrected.layers);
  }
  return result;
}

}  // namespace octet
