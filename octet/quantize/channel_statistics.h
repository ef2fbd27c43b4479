// channel_statistics.h: mean and range of each channel of a model's values over samples.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "octet/base/progress.h"
#include "octet/quantize/parameters.h"
#include "octet/quantize/sample_runs.h"

namespace octet {

struct ChannelStatistics {
  std::vector<double> means;
  std::vector<Range> ranges;
};

// The tensors of which they are wanted, and whether channels are the last axis; else they are the second.
using ChannelTensors = std::map<std::string, bool>;

// In float64, in the order of the samples: neither threads nor batches change a bit. The model runs as it is written. Tensors
// that have no channels of float32 are absent; `progress` counts samples. Throws kUsage when there are no samples.
std::map<std::string, ChannelStatistics> channel_statistics(const Model& model, const ChannelTensors& tensors,
                                                            const SampleRuns& runs, const Progress& progress = {});

}  // namespace octet
