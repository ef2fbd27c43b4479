#include "cli/samples_options.h"

#include <optional>

#include "cli/outputs.h"
#include "cli/terminal.h"
#include "octet/base/fail.h"
#include "octet/evaluate/sample_batches.h"

namespace octet::cli {
std::unique_ptr<SampleStream> SamplesOptions::open(const Model& model) const {
  add_inputs({{"file of --labels", labels}});
  return std::make_unique<SampleStream>(
      model, data,
      SampleOptions{.pixels = {.divisor = pixels == "unit" ? 255.0F : 1.0F,
                               .mean = mean,
                               .deviation = deviation,
                               .asked_for = pixels != "unit" || !mean.empty() || !deviation.empty()},
                    .images = image_form_named(resize, crop, channel_order),
                    .labels = labels,
                    .skip_broken = skip_broken,
                    .limit = samples,
                    .note = [said = said](const std::string& text) {
                      if (said->insert(text).second) print_error("note: " + text);
                    }});
}

InputBatches SamplesOptions::batches(const Model& model) const {
  return sample_batches([options = *this, &model] { return options.open(model); }, batch);
}

SampleRuns SamplesOptions::runs(const RunEngine& engine) const {
  return {.samples = [options = *this](const Model& model) { return options.open(model); },
          .batch = batch,
          .engine = engine.name,
          .threads = engine.threads};
}

void require_labels(const SamplesOptions& options, const Model& model, std::string_view why) {
  const std::optional<Batch> first = options.open(model)->next(1);
  if (first && first->labels.empty()) fail(ErrorCode::kUsage, "{}, and {}", why, first->unlabelled);
}

void add_samples_options(CommandLine line, SamplesOptions& options) {
  const Argument data = line.option(
      "--data", options.data,
      "Samples: images (.jpg, .png), arrays (.npy, .npz, .pb, CIFAR-10's .bin), or a folder of them", "PATH");
  line.option("--labels", options.labels, "Which images of the folder, and their labels: a file and its label per line",
              "FILE")
      .needs(data);
  line.option("--resize", options.resize, "Make the shorter side of images this long, or say width x height", "N|WxH")
      .needs(data);
  line.option("--crop", options.crop, "Then cut out the middle of images", "N|WxH").needs(data);
  line.option("--channel-order", options.channel_order, "Of images, as the model wants it", "ORDER")
      .one_of({"rgb", "bgr"})
      .shows_default()
      .needs(data);
  line.flag("--skip-broken", options.skip_broken, "Name and skip images that can't be decoded, instead of ending there")
      .needs(data);
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
