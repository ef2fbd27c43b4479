// channel_means.h: the mean of each channel of a model's values over samples.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "octet/base/progress.h"
#include "octet/data/samples.h"
#include "octet/engine/engine.h"

namespace octet {

struct MeansOptions {
  std::map<std::string, bool> tensors;  // and whether channels are the last axis; else they are the second
  std::int64_t batch = 16;
  std::string engine = kDefaultEngine;
  int threads = 0;
  Progress progress;
};

// In float64, in the order of the samples: neither threads nor batches change a bit. The model runs as it is written.
// Throws kUsage when there are no samples, kModel for a tensor that is not computed or not float32 with channels.
std::map<std::string, std::vector<double>> channel_means(const Model& model, SampleStream& samples,
                                                         const MeansOptions& options);

}  // namespace octet
