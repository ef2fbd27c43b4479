#include "cli/samples_options.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/outputs.h"
#include "cli/terminal.h"
#include "octet/base/fail.h"
#include "octet/evaluate/sample_batches.h"
#include "octet/graph/model.h"

namespace octet::cli {
namespace {

// Of the first input, where it is a number.
std::optional<std::int64_t> own_batch(const Model& model) {
  const std::vector<const Value*> inputs = required_inputs(model.graph);
  if (inputs.empty()) return std::nullopt;
  const auto& shape = inputs[0]->type.shape;
  return shape && !shape->empty() && (*shape)[0].known() ? std::optional((*shape)[0].value()) : std::nullopt;
}

}  // namespace

SampledInputs inputs_from_samples(SamplesOptions options, const Model& model) {
  if (options.samples == 0) options.samples = std::max<std::int64_t>(own_batch(model).value_or(1), 1);
  const auto samples = options.open(model);
  std::optional<Batch> batch = samples->next(options.samples);
  if (!batch) fail(ErrorCode::kUsage, "{} holds no samples", options.data);
  if (batch->samples < options.samples && samples->next(1))
    fail(ErrorCode::kUsage, "{} samples of {} are in several files; one run takes those of one", options.samples,
         options.data);
  const auto form = samples->preprocessing();
  return {std::move(batch->inputs), form ? form->classes : samples->class_names()};
}

void SamplesOptions::use_record_of(const std::vector<const Model*>& models, const std::vector<std::string>& names) {
  std::string first;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::optional<Preprocessing> found = recorded_preprocessing(*models[i]);
    if (!found) continue;
    if (!recorded) {
      recorded = found;
      first = names[i];
    } else if (!(recorded->pixels == found->pixels && recorded->images == found->images)) {
      print_error(fmt::format("warning: {} records other samples than {}, and gets the same here: {}, not {}", names[i],
                              first, to_string(*recorded), to_string(*found)));
    }
  }
}

std::unique_ptr<SampleStream> SamplesOptions::open(const Model& model) const {
  add_inputs({{"file of --labels", labels}});
  const auto tell = [said = said](const char* what) {
    return [said, what](const std::string& text) {
      if (said->insert(text).second) print_error(what + text);
    };
  };
  PixelForm form{.divisor = std::nullopt,
                 .mean = mean,
                 .deviation = deviation,
                 .asked_for = pixels == "byte" || !mean.empty() || !deviation.empty()};
  if (!pixels.empty()) form.divisor = pixels == "unit" ? 255.0F : 1.0F;
  return std::make_unique<SampleStream>(
      model, data,
      SampleOptions{.pixels = form,
                    .images = image_form_named(resize, crop, channel_order),
                    .recorded = recorded ? recorded : recorded_preprocessing(model),
                    .labels = labels,
                    .skip_broken = skip_broken,
                    .limit = samples,
                    .seed = seed,
                    .part = part.empty() ? std::nullopt : std::optional(sample_part_named(part)),
                    .note = tell("note: "),
                    .warn = tell("warning: ")});
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

void add_samples_options(CommandLine line, SamplesOptions& options, const SamplesOptionNames& names) {
  const Argument data = line.option(
      "--data", options.data,
      "Samples: images (.jpg, .png), arrays (.npy, .npz, .pb, CIFAR-10's .bin), or a folder of them", "PATH");
  line.option("--labels", options.labels, "Which images of the folder, and their labels: a file and its label per line",
              "FILE")
      .needs(data);
  line.option("--resize", options.resize, "Make the shorter side of images this long, or say width x height", "N|WxH")
      .needs(data);
  line.option("--crop", options.crop, "Then cut out the middle of images", "N|WxH").needs(data);
  line.option("--channel-order", options.channel_order, "Of images, as the model wants it; rgb if nothing says it",
              "ORDER")
      .one_of({"rgb", "bgr"})
      .needs(data);
  line.flag("--skip-broken", options.skip_broken, "Name and skip images that can't be decoded, instead of ending there")
      .needs(data);
  line.option("--pixels", options.pixels,
              "How a byte p of an image becomes an input: unit is p/255, byte is p; as the model records it, else unit",
              "FORM")
      .one_of({"unit", "byte"})
      .needs(data);
  line.option("--mean", options.mean, "Subtracted from each channel after that", "R,G,B").separated_by(',').needs(data);
  line.option("--deviation", options.deviation, "Divides each channel after that", "R,G,B")
      .separated_by(',')
      .needs(data);
  const Argument samples = line.option("--samples", options.samples,
                                       "Use at most this many samples, as many of every class or folder; 0 is all", "N")
                               .not_negative()
                               .needs(data);
  line.option(names.seed, options.seed, "Draw these samples; else they are at even distances in the order of names",
              "N")
      .needs(samples);
  line.option("--part", options.part,
              "Of these samples, only the first of three parts, say: 1/3; parts have no sample in common", "K/N")
      .needs(data);
  if (names.batch)
    line.option("--batch", options.batch, "Samples run together; results don't depend on it", "N")
        .within(1, 65536)
        .shows_default()
        .needs(data);
}

}  // namespace octet::cli
