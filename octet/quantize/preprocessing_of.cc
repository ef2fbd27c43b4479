#include "octet/quantize/preprocessing_of.h"

namespace octet {

std::optional<Preprocessing> preprocessing_of(const Model& float_model, const SampleRuns& runs) {
  if (!runs.samples) return std::nullopt;
  const auto samples = runs.samples(float_model);
  return samples->next(1) ? samples->preprocessing() : std::nullopt;
}

}  // namespace octet
