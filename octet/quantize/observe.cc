#include "octet/quantize/observe.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/engine/reference_engine.h"
#include "octet/quantize/plan.h"

namespace octet {

RangesFile observe(const Model& simplified, SampleStream& samples, const ObserveOptions& options) {
  const ReferenceEngine engine(simplified, {.threads = options.threads});
  Calibrator calibrator(tensors_to_observe(simplified), options.calibration);
  const auto total = static_cast<std::size_t>(samples.total().value_or(0));
  RangesFile result{.calibration = std::string(name(options.calibration.method))};
  while (const std::optional<Batch> batch = samples.next(options.batch)) {
    for (const auto& [tensor, values] : batch->inputs) calibrator.observe(tensor, values);
    for (const auto& [tensor, values] : engine.run(batch->inputs, {.keep_all = true}))
      calibrator.observe(tensor, values);
    result.samples += batch->samples;
    const auto done = static_cast<std::size_t>(result.samples);
    if (options.progress) options.progress(done, std::max(done, total));
  }
  if (result.samples == 0) fail(ErrorCode::kUsage, "there are no calibration samples");
  result.ranges = calibrator.ranges();
  return result;
}

}  // namespace octet
