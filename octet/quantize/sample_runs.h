// sample_runs.h: networks run over the calibration samples, as often as a method asks for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "octet/base/progress.h"
#include "octet/data/samples.h"
#include "octet/engine/engine.h"

namespace octet {

struct SampleRuns {
  std::function<std::unique_ptr<SampleStream>(const Model&)> samples;  // from the first one on, each time
  std::int64_t batch = 16;
  std::string engine = kDefaultEngine;
  int threads = 0;
};

}  // namespace octet
