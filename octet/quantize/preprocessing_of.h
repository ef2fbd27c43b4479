// preprocessing_of.h: how the samples that calibrate become inputs, for a quantized model to say so.
#pragma once

#include <optional>

#include "octet/data/preprocessing.h"
#include "octet/graph/model.h"
#include "octet/quantize/sample_runs.h"

namespace octet {

// Reads the first samples as inputs of the float model. Nothing where there are none, or no images or pixels.
std::optional<Preprocessing> preprocessing_of(const Model& float_model, const SampleRuns& runs);

}  // namespace octet
