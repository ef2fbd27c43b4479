#include "octet/quantize/observe.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/engine/reference_engine.h"
#include "octet/quantize/plan.h"

namespace octet {

RangesFile observe(const Model& model, SampleStream& samples, const ObserveOptions& options) {
  const ReferenceEngine engine(model, {.threads = options.threads});
  const Parallel parallel(options.threads);
  Calibrator calibrator(options.tensors.empty() ? tensors_to_observe(model) : options.tensors, options.calibration);
  const auto total = static_cast<std::size_t>(samples.total().value_or(0));
  RangesFile result{.calibration = std::string(name(options.calibration.method))};
  while (const std::optional<Batch> batch = samples.next(options.batch)) {
    calibrator.observe(batch->inputs, parallel);
    calibrator.observe(engine.run(batch->inputs, {.keep_all = true}), parallel);
    result.samples += batch->samples;
    const auto done = static_cast<std::size_t>(result.samples);
    if (options.progress) options.progress(done, std::max(done, total));
  }
  if (result.samples == 0) fail(ErrorCode::kUsage, "there are no calibration samples");
  result.ranges = calibrator.ranges();
  return result;
}

}  // namespace octet
