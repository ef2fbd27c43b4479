// samples_options.h: the options that say where samples come from and how bytes become inputs; the same everywhere.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/parser.h"
#include "octet/data/samples.h"
#include "octet/engine/engine.h"
#include "octet/engine/input_batches.h"
#include "octet/quantize/sample_runs.h"

namespace octet::cli {

// What runs networks.
struct RunEngine {
  std::string name;
  int threads = 0;
};

struct SamplesOptions {
  std::string data, labels;
  std::string pixels, channel_order, resize, crop;  // empty: as the model records it, else unit and rgb
  std::vector<float> mean, deviation;
  bool skip_broken = false;
  std::int64_t samples = 0;
  std::optional<std::uint64_t> seed;  // of the choice where not all are taken
  std::string part;                   // "1/3"
  std::int64_t batch = 32;
  // What a model records of its samples, for all models of the command; nothing: each model's own.
  std::optional<Preprocessing> recorded;
  // What was said already: a command may read the samples several times.
  std::shared_ptr<std::set<std::string>> said = std::make_shared<std::set<std::string>>();

  bool given() const { return !data.empty(); }
  // Takes samples for all of these models as the first of them records it that does; warns where another differs. `names` are the
  // models' files.
  void use_record_of(const std::vector<const Model*>& models, const std::vector<std::string>& names);
  std::unique_ptr<SampleStream> open(const Model& model) const;
  // Opened when the first is asked for. `model` must outlive them.
  InputBatches batches(const Model& model) const;
  // As often as methods that calibrate ask for them.
  SampleRuns runs(const RunEngine& engine) const;
};

// Throws kUsage, saying `why`, when the first sample has no label.
void require_labels(const SamplesOptions& options, const Model& model, std::string_view why);

// What options of samples are called where a command has others of these names.
struct SamplesOptionNames {
  std::string seed = "--seed";
  bool batch = true;  // whether there is --batch
};
void add_samples_options(CommandLine line, SamplesOptions& options, const SamplesOptionNames& names = {});

// The samples as the inputs of one run: as many as --samples says, else one, or the model's own batch.
struct SampledInputs {
  NamedTensors tensors;
  std::vector<std::string> class_names;  // by number; empty: unknown
};
SampledInputs inputs_from_samples(SamplesOptions options, const Model& model);

}  // namespace octet::cli
