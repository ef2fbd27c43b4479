#include "octet/quantize/record_samples.h"

#include "octet/data/preprocessing.h"

namespace octet {

void record_samples(Model& quantized, const Model& float_model, const SampleRuns& runs) {
  if (!runs.samples) return;
  const auto samples = runs.samples(float_model);
  if (!samples->next(1)) return;
  if (const auto found = samples->preprocessing()) record_preprocessing(quantized, *found);
}

}  // namespace octet
