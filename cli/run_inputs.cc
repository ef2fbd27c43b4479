#include "cli/run_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/terminal.h"
#include "octet/base/fail.h"
#include "octet/data/image.h"
#include "octet/data/model_inputs.h"
#include "octet/data/preprocessing.h"
#include "octet/text/numbers.h"

namespace octet::cli {

std::string ignored_arrays(const std::string& file, const std::vector<std::string>& names, std::string_view why) {
  constexpr std::size_t kShown = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) list += (i ? ", " : "") + names[i];
  return fmt::format("note: {} holds {} that {}: {}{}", file, counted(static_cast<std::int64_t>(names.size()), "array"),
                     why, list, names.size() > kShown ? ", …" : "");
}

void add_input_options(CommandLine line, InputOptions& options) {
  line.option("--input", options.file, "Inputs by name (.npz), the only input (.npy), or an image (.jpg, .png)",
              "FILE");
  line.option("--random", options.seed,
              "Make up the inputs that are not given: 8-bit integers over their whole range, floats in [-1, 1)",
              "SEED");
  add_samples_options(line, options.samples, {.batch = false});
}

SampledInputs named_inputs_for(const Model& model, const InputOptions& options) {
  InputOptions from = options;
  if (from.samples.given() && (!from.file.empty() || from.seed))
    fail(ErrorCode::kUsage, "--data gives every input; leave out {}", from.file.empty() ? "--random" : "--input");
  if (is_image_name(from.file)) from.samples.data = std::exchange(from.file, "");
  if (from.samples.given()) return inputs_from_samples(from.samples, model);
  const std::optional<Preprocessing> recorded = recorded_preprocessing(model);
  return {inputs_for(model, from), recorded ? recorded->classes : std::vector<std::string>()};
}

NamedTensors inputs_for(const Model& model, const InputOptions& options) {
  if (options.samples.given() || is_image_name(options.file)) return named_inputs_for(model, options).tensors;
  NamedTensors inputs;
  std::vector<std::string> ignored;
  if (!options.file.empty()) inputs = read_inputs(model, options.file, ignored);
  if (options.seed) {
    const std::size_t given = inputs.size();
    add_random_inputs(model, *options.seed, inputs);
    if (inputs.size() == given && given > 0) fail(ErrorCode::kUsage, "--random is not used: --input gives every input");
  }
  require_all_inputs(model, inputs, options.file);
  if (!ignored.empty()) print_error(ignored_arrays(options.file, ignored, "the model has no inputs for"));
  return inputs;
}

}  // namespace octet::cli
