#include "cli/several_inputs.h"

#include <fmt/core.h>

#include "cli/run_inputs.h"

namespace octet::cli {

void add_several_inputs(CommandLine line, SeveralInputs& options, std::string_view why) {
  line.option(
          "--input", options.files,
          fmt::format("Inputs by name (.npz), the only input (.npy), or an image (.jpg, .png){}; may be repeated", why),
          "FILE")
      .once_each();
  line.option("--random", options.seed, "Make up the inputs that are not given, as octet run does", "SEED");
}

std::vector<VectorInput> inputs_for_each(const Model& model, const SeveralInputs& options) {
  std::vector<VectorInput> inputs;
  for (const std::string& file : options.files)
    inputs.push_back({file, inputs_for(model, {.file = file, .seed = options.seed})});
  if (options.files.empty() && options.seed)
    inputs.push_back({fmt::format("random {}", *options.seed), inputs_for(model, {.file = "", .seed = options.seed})});
  return inputs;
}

}  // namespace octet::cli
