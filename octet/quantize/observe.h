// observe.h: a float model run over calibration samples.
#pragma once

#include <set>
#include <string>

#include "octet/base/progress.h"
#include "octet/data/samples.h"
#include "octet/quantize/calibrate.h"
#include "octet/quantize/ranges_file.h"

namespace octet {

struct ObserveOptions {
  std::set<std::string> tensors;  // whose ranges; none: those that plan() may need
  CalibrationOptions calibration;
  std::int64_t batch = 16;
  int threads = 0;
  Progress progress;
};

// The ranges of activations of a float model. Throws kUsage when there are no samples.
RangesFile observe(const Model& model, SampleStream& samples, const ObserveOptions& options);

}  // namespace octet
