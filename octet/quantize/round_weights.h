// round_weights.h: weights rounded so that what a layer makes changes least, which is not each to its nearest integer.
//
// AdaRound's aim, reached without gradients. Of one output channel, w are its K weights, w' what the integers stand for and x the K
// numbers that they multiply, in the float network:
//
//   E(w') = Sum over x of ((w' - w) . x)^2 = (w' - w)' G (w' - w),   G = Sum over x of x x'
//
// Every weight may be rounded up or down. From the nearest integers on, weight by weight in their order, the other one is taken
// where that makes E smaller, until none does. G is summed in float64 over the places of the calibration samples (at most 32 of
// each sample, 16,384 in all), in their order, and has K times the mean of its diagonal per place added to its diagonal: as if K
// more places had been seen whose numbers have nothing to do with one another. The fewer places there are, the closer the result is to
// the nearest integers. Neither threads nor batches nor the machine change a bit.
//
// The smallest and the largest weight of each scale stay, because they decide the scale, and none goes beyond their integers. So the
// result is a float model again: plan() chooses the same scales for it and finds the chosen integers.
#pragma once

#include <string>
#include <vector>

#include "octet/base/progress.h"
#include "octet/quantize/plan.h"
#include "octet/quantize/sample_runs.h"

namespace octet {

struct RoundedWeights {
  std::string node;
  std::size_t weights = 0, changed = 0;  // in all, and not to the nearest any more
  double before = 0, after = 0;  // signal to noise of what the layer makes, over the places that were seen, in dB
  std::string left;              // why nothing was done, or empty
};

struct Rounded {
  Model model;  // float, with other weights
  std::vector<RoundedWeights> layers;
};

// Takes a simplified model, its ranges and the arguments of plan(). Layers that stay float are not looked at.
// `progress` counts layers.
Rounded round_weights(Model simplified, const Ranges& ranges, const StaticOptions& options, const Selection& selection,
                      const SampleRuns& runs, const Progress& progress = {});

}  // namespace octet
