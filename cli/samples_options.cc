#include "cli/samples_options.h"

#include <optional>

#include "octet/base/fail.h"

namespace octet::cli {

std::unique_ptr<SampleStream> SamplesOptions::open(const Model& model) const {
  const PixelForm form{.divisor = pixels == "unit" ? 255.0F : 1.0F,
                       .mean = mean,
                       .deviation = deviation,
                       .asked_for = pixels != "unit" || !mean.empty() || !deviation.empty()};
  return std::make_unique<SampleStream>(model, data, form, samples);
}

void require_labels(const SamplesOptions& options, const Model& model, std::string_view why) {
  const std::optional<Batch> first = options.open(model)->next(1);
  if (first && first->labels.empty()) fail(ErrorCode::kUsage, "{}, and the samples have no labels", why);
}

void add_samples_options(CommandLine line, SamplesOptions& options) {
  const Argument data =
      line.option("--data", options.data, "Samples: a CIFAR-10 .bin, .npy or .npz file, or a folder of them", "PATH");
  line.option("--pixels", options.pixels, "How a byte p of an image becomes an input: unit is p/255, byte is p", "FORM")
      .one_of({"unit", "byte"})
      .shows_default()
      .needs(data);
  line.option("--mean", options.mean, "Subtracted from each channel after that", "R,G,B").separated_by(',').needs(data);
  line.option("--deviation", options.deviation, "Divides each channel after that", "R,G,B")
      .separated_by(',')
      .needs(data);
  line.option("--samples", options.samples, "Use at most this many samples; 0 is all", "N").not_negative().needs(data);
  line.option("--batch", options.batch, "Samples run together; results don't depend on it", "N")
      .within(1, 65536)
      .shows_default()
      .needs(data);
}

}  // namespace octet::cli
