// equalize.h: cross-layer equalization: channels of two layers in a row, scaled against each other.
//
// Between two layers, with nothing or a Relu behind the first and no other reader, channel i of the first may be multiplied by
// any s > 0 when the second's weights of that channel are divided by it. With r1 the largest magnitude that calibration saw in
// channel i between the layers and r2 that among its weights in the second,
//
//   s = 2^-e,  e = floor((ilogb(r1 / r2) + 1) / 2):  the power of two nearest to sqrt(r2 / r1)
//
// makes r1 and r2 equal up to a factor of two: no channel is much smaller than its neighbours any more, neither among the
// activations, which have one scale for all channels, nor among the weights that read them. A channel that was never above 0 has
// the largest of its weights and bias in the first layer as r1. Multiplying by a power of two rounds nothing, so the network computes
// the same bits as before but for subnormal numbers. Pairs are taken in the order of the nodes, and again, until nothing
// changes: a depthwise convolution is the second of one pair and the first of the next.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "octet/graph/model.h"
#include "octet/quantize/parameters.h"
#include "octet/quantize/sample_runs.h"

namespace octet {

// What stands between two layers and bounds its result above, as Relu6 does, does not scale.
enum class BoundedClamps {
  kLeave,    // the pair stays as it is
  kReplace,  // the clamp becomes Relu: results above its bound are no longer cut
};

struct EqualizedPair {
  std::string first, second;             // names of nodes
  std::size_t channels = 0, scaled = 0;  // in all, and by another factor than 1
  int smallest = 0, largest = 0;         // exponents of 2 that those were multiplied by in the first
  std::string replaced;                  // the clamp that became Relu, or empty
  std::string left;                      // why nothing was done, or empty
};

struct Equalized {
  Model model;
  std::vector<EqualizedPair> pairs;  // in the order of the nodes
};

// The range of each channel of what layers make, before any clamp, by the name of that value.
using ChannelRanges = std::map<std::string, std::vector<Range>>;

// The ranges of the layers of a simplified model (plan.h) over the calibration samples.
ChannelRanges observed_channels(const Model& simplified, const SampleRuns& runs);

// Takes a simplified model. Layers are Conv, Gemm and MatMul with float32 constants of their own. Layers without `seen`
// ranges have the magnitudes of weights and bias in their place.
Equalized equalize(Model simplified, const ChannelRanges& seen, BoundedClamps clamps = BoundedClamps::kLeave);

// "conv1 to conv2: 14 of 16 channels times 2^-3 to 2^4, clip replaced by Relu", or why not.
std::string to_string(const EqualizedPair& pair);

}  // namespace octet
