// samples.h: samples and inputs as a call gives them: files, arrays, dicts of arrays, and whatever can be iterated over.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "octet/data/samples.h"
#include "octet/engine/input_batches.h"
#include "octet/graph/model.h"
#include "octet/quantize/sample_runs.h"
#include "python/src/options.h"
#include "python/src/work.h"

namespace octet::python {

// The options data, labels, resize, crop, channel_order, skip_broken, pixels, mean, deviation, samples, seed, part and batch. Copies may be
// used, and freed, by threads without Python's lock.
class Samples {
 public:
  // `seed` is what the call names the seed that draws samples.
  Samples(const Options& options, const Work& work, const char* seed = "seed");

  bool given() const { return parts_ || !path_.empty(); }
  std::int64_t batch() const { return batch_; }
  // The same samples for all of these models, as the first of them records it that does.
  Samples with_record_of(const std::vector<const Model*>& models) const;
  // The same as they would be of other data; `part` is one of several, empty: all.
  Samples with_data(const Options& options, const char* data) const;
  Samples with_part(const std::string& part) const;
  std::unique_ptr<SampleStream> open(const Model& model) const;
  // Opened when the first is asked for.
  InputBatches batches(std::shared_ptr<const Model> model) const;
  SampleRuns runs(const std::string& engine, int threads) const;
  // Throws kUsage, saying `why`, where the first sample has no label.
  void require_labels(const Model& model, std::string_view why) const;

 private:
  void set_data(const Options& options, const char* data);

  std::string path_;
  SharedObject parts_;  // called for an iterator over dicts of arrays
  SampleOptions options_;
  std::int64_t batch_;
};

// Throws kUsage, as the command does, where no samples are given.
void require_samples(const Samples& samples, const char* why);

// The options input and random: the inputs of one run.
struct RunInputs {
  std::string path;
  NamedTensors arrays;  // one without a name is the only input
  bool has_arrays = false;
  std::optional<std::uint64_t> seed;

  NamedTensors read(const Model& model, const Work& work) const;
};
RunInputs run_inputs(const Options& options, const char* input = "input", const char* random = "random");
RunInputs run_inputs_of(nb::handle value, const Options& options, const char* input);

}  // namespace octet::python
