// observe.h: a float model run over calibration samples.
#pragma once

#include <map>
#include <set>
#include <string>

#include "octet/base/progress.h"
#include "octet/data/samples.h"
#include "octet/engine/engine.h"
#include "octet/quantize/calibrate.h"
#include "octet/quantize/plan.h"
#include "octet/quantize/ranges_file.h"
#include "octet/quantize/sample_runs.h"

namespace octet {

struct ObserveOptions {
  std::set<std::string> tensors;  // whose ranges; none: those that plan() may need
  CalibrationOptions calibration;
  std::map<std::string, CalibrationOptions> others;  // of single tensors
  std::int64_t batch = 16;
  std::string engine = kDefaultEngine;
  int threads = 0;
  // Elements of a sample's activations that are kept until its run ends: as long as they stay in the cache, that is quicker than to
  // see them one by one.
  std::int64_t kept = 1 << 18;
  Progress progress;
};

// The ranges of activations of a float model, whose hash is the caller's to fill in: what runs here may have been
// simplified. The model runs as it is written, node by node: every tensor of the file has a range, but for those of
// unobservable_values (observable.h). Throws kUsage when there are no samples.
RangesFile observe(const Model& model, SampleStream& samples, const ObserveOptions& options);

// The ranges of every activation that a plan may need.
Ranges observed_ranges(const Model& model, const CalibrationOptions& calibration, const SampleRuns& runs,
                       const Progress& progress = {});

}  // namespace octet
