#include "python/src/samples.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "octet/base/fail.h"
#include "octet/data/model_inputs.h"
#include "octet/evaluate/sample_batches.h"
#include "octet/graph/input_shape.h"
#include "octet/text/numbers.h"
#include "python/src/arrays.h"

namespace octet::python {
namespace {

std::vector<float> to_floats(const std::vector<double>& numbers) {
  std::vector<float> floats;
  for (const double number : numbers) floats.push_back(static_cast<float>(number));
  return floats;
}

// Each text once, however often samples are read.
std::function<void(const std::string&)> once_each(const Work& work) {
  struct Said {
    std::mutex mutex;
    std::set<std::string> texts;
  };
  return [work, said = std::make_shared<Said>()](const std::string& text) {
    const std::lock_guard lock(said->mutex);
    if (said->texts.insert(text).second) work.warn(text);
  };
}

// What an iterator of Python's gives, in whatever thread asks for it.
SampleArrays parts_of(const SharedObject& make) {
  return [make, iterator = SharedObject()]() mutable -> std::optional<NamedTensors> {
    const nb::gil_scoped_acquire gil;
    if (!iterator) iterator = share((*make)());
    const nb::object next = nb::steal(PyIter_Next(iterator->ptr()));
    if (!next.is_valid()) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return std::nullopt;
    }
    return tensors_from(next, Elements::kBorrowed, "data");
  };
}

// The array without a name gets that of the only input.
void name_single(const Model& model, NamedTensors& arrays) {
  if (arrays.size() != 1 || !arrays.begin()->first.empty()) return;
  const std::vector<const Value*> inputs = required_inputs(model.graph);
  if (inputs.size() != 1)
    fail(ErrorCode::kUsage, "there is one array, and the model has {} inputs; give a dict with one array for each",
         inputs.size());
  auto node = arrays.extract(arrays.begin());
  node.key() = inputs[0]->name;
  arrays.insert(std::move(node));
}

// Takes out what are no inputs of the model.
std::vector<std::string> take_unknown(const Model& model, NamedTensors& arrays) {
  std::vector<std::string> unknown;
  for (auto entry = arrays.begin(); entry != arrays.end();) {
    const bool known =
        std::ranges::any_of(model.graph.inputs, [&](const Value& input) { return input.name == entry->first; });
    if (known) {
      ++entry;
    } else {
      unknown.push_back(entry->first);
      entry = arrays.erase(entry);
    }
  }
  return unknown;
}

void warn_of_ignored(const Work& work, const std::string& place, const std::vector<std::string>& names) {
  if (names.empty()) return;
  constexpr std::size_t kShown = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) list += (i > 0 ? ", " : "") + names[i];
  work.warn(fmt::format("{} holds {} that the model has no inputs for: {}{}", place,
                        counted(static_cast<std::int64_t>(names.size()), "array"), list,
                        names.size() > kShown ? ", …" : ""));
}

}  // namespace

Samples::Samples(const Options& options, const Work& work, const char* seed)
    : batch_(options.integer("batch", 1, 65536)) {
  const std::string pixels = options.text("pixels"), part = options.text("part");
  if (!pixels.empty() && pixels != "unit" && pixels != "byte")
    fail(ErrorCode::kUsage, "pixels {}: wanted unit or byte", pixels);
  const std::vector<float> mean = to_floats(options.numbers("mean")),
                           deviation = to_floats(options.numbers("deviation"));
  options_ = {.pixels = {.divisor = std::nullopt,
                         .mean = mean,
                         .deviation = deviation,
                         .asked_for = pixels == "byte" || !mean.empty() || !deviation.empty()},
              .images = image_form_named(options.text("resize"), options.text("crop"), options.text("channel_order")),
              .labels = options.path("labels"),
              .skip_broken = options.flag("skip_broken"),
              .limit = options.integer("samples", 0, INT64_MAX),
              .note = once_each(work),
              .warn = once_each(work)};
  if (!pixels.empty()) options_.pixels.divisor = pixels == "unit" ? 255.0F : 1.0F;
  if (!part.empty()) options_.part = sample_part_named(part);
  if (const std::optional<std::int64_t> number = options.optional_integer(seed, 0, INT64_MAX))
    options_.seed = static_cast<std::uint64_t>(*number);
  set_data(options, "data");
  if (!given())
    for (const char* option : {"labels", "resize", "crop", "mean", "deviation", "part", seed})
      if (options.given(option)) fail(ErrorCode::kUsage, "{} requires data", option);
}

void Samples::set_data(const Options& options, const char* data) {
  const nb::object value = options.object(data);
  path_.clear();
  parts_.reset();
  if (PyCallable_Check(value.ptr()) != 0)
    parts_ = share(value);
  else
    path_ = options.path(data);
}

Samples Samples::with_record_of(const std::vector<const Model*>& models) const {
  Samples samples = *this;
  for (const Model* model : models)
    if (!samples.options_.recorded) samples.options_.recorded = recorded_preprocessing(*model);
  return samples;
}

Samples Samples::with_data(const Options& options, const char* data) const {
  Samples samples = *this;
  samples.set_data(options, data);
  samples.options_.labels.clear();
  samples.options_.limit = 0;
  samples.options_.seed.reset();
  return samples;
}

Samples Samples::with_part(const std::string& part) const {
  Samples samples = *this;
  samples.options_.part = sample_part_named(part);
  return samples;
}

std::unique_ptr<SampleStream> Samples::open(const Model& model) const {
  SampleOptions options = options_;
  if (!options.recorded) options.recorded = recorded_preprocessing(model);
  if (parts_) return std::make_unique<SampleStream>(model, parts_of(parts_), std::move(options));
  return std::make_unique<SampleStream>(model, path_, std::move(options));
}

InputBatches Samples::batches(std::shared_ptr<const Model> model) const {
  return sample_batches([samples = *this, model = std::move(model)] { return samples.open(*model); }, batch_);
}

SampleRuns Samples::runs(const std::string& engine, int threads) const {
  SampleRuns runs{.batch = batch_, .engine = engine, .threads = threads};
  if (given()) runs.samples = [samples = *this](const Model& model) { return samples.open(model); };
  return runs;
}

void Samples::require_labels(const Model& model, std::string_view why) const {
  const std::optional<Batch> first = open(model)->next(1);
  if (first && first->labels.empty()) fail(ErrorCode::kUsage, "{}, and {}", why, first->unlabelled);
}

void require_samples(const Samples& samples, const char* why) {
  if (!samples.given()) fail(ErrorCode::kUsage, "{}", why);
}

NamedTensors RunInputs::read(const Model& model, const Work& work) const {
  NamedTensors inputs = arrays;
  std::vector<std::string> ignored;
  if (has_arrays) {
    name_single(model, inputs);
    ignored = take_unknown(model, inputs);
  } else if (!path.empty()) {
    inputs = read_inputs(model, path, ignored);
  }
  if (seed) {
    const std::size_t given = inputs.size();
    add_random_inputs(model, *seed, inputs);
    if (inputs.size() == given && given > 0) fail(ErrorCode::kUsage, "random is not used: input gives every input");
  }
  require_all_inputs(model, inputs, path);
  warn_of_ignored(work, path.empty() ? "input" : path, ignored);
  return inputs;
}

RunInputs run_inputs_of(nb::handle value, const Options& options, const char* input) {
  RunInputs inputs;
  if (value.is_none()) return inputs;
  const bool is_path = PyUnicode_Check(value.ptr()) != 0 || PyBytes_Check(value.ptr()) != 0 ||
                       PyObject_HasAttrString(value.ptr(), "__fspath__") != 0;
  if (is_path) {
    inputs.path = options.path(input);
  } else {
    inputs.arrays = tensors_from(value, Elements::kCopied, input);
    inputs.has_arrays = true;
  }
  return inputs;
}

RunInputs run_inputs(const Options& options, const char* input, const char* random) {
  RunInputs inputs = run_inputs_of(options.object(input), options, input);
  if (const std::optional<std::int64_t> seed = options.optional_integer(random, 0, INT64_MAX))
    inputs.seed = static_cast<std::uint64_t>(*seed);
  return inputs;
}

}  // namespace octet::python
