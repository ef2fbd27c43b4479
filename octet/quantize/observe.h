// observe.h: a float model run over calibration samples.
#pragma once

#include "octet/base/progress.h"
#include "octet/data/samples.h"
#include "octet/quantize/calibrate.h"
#include "octet/quantize/ranges_file.h"

namespace octet {

struct ObserveOptions {
  CalibrationOptions calibration;
  std::int64_t batch = 16;
  int threads = 0;
  Progress progress;
};

// The ranges of the activations of a simplified model. Throws kUsage when there are no samples.
RangesFile observe(const Model& simplified, SampleStream& samples, const ObserveOptions& options);

}  // namespace octet
