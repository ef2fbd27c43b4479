// record_samples.h: a quantized model says how the samples that calibrated it became inputs (octet/data/preprocessing.h).
#pragma once

#include "octet/graph/model.h"
#include "octet/quantize/sample_runs.h"

namespace octet {

// Reads the first samples as inputs of the float model. Nothing is recorded where there are none, or no images or pixels.
void record_samples(Model& quantized, const Model& float_model, const SampleRuns& runs);

}  // namespace octet
