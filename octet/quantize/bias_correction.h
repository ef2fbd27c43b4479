// bias_correction.h: rounding weights shifts the mean of what a layer makes; its bias can take the shift back.
//
//   analytic   b[o] - Sum over the weights of channel o of (w' - w) E[x], w' the weight as 8 bits have it and E[x] the mean
//              of its input channel in the float network. One run of the float network. Padding counts as if it were x.
//   empirical  b[o] - (E[y'] - E[y]), y the layer's result before any Relu in the float network and y' in the quantized one,
//              with the layers before it corrected already: it takes back what they left over too, and what rounding
//              activations adds. One run of the float network, and one of the quantized network for each layer.
//
// Means are over the calibration samples and, in convolutions, over all places.
#pragma once

#include <string>
#include <vector>

#include "octet/base/progress.h"
#include "octet/quantize/plan.h"
#include "octet/quantize/sample_runs.h"

namespace octet {

enum class BiasCorrection { kAnalytic, kEmpirical };

struct CorrectedBias {
  std::string node;
  std::size_t channels = 0;
  double largest = 0;  // magnitude by which a bias was changed
  std::string left;    // why nothing was done, or empty
};

struct Corrected {
  Model model;  // float, with other biases: plan() makes the quantized one
  std::vector<CorrectedBias> layers;
};

// Takes a simplified model, its ranges and the arguments of plan(). Layers that stay float are not looked at.
// `progress` counts runs of a network.
Corrected correct_biases(Model simplified, const Ranges& ranges, const StaticOptions& options,
                         const Selection& selection, BiasCorrection method, const SampleRuns& runs,
                         const Progress& progress = {});

}  // namespace octet
