#include "cli/scheme_options.h"

#include "cli/model_argument.h"
#include "cli/terminal.h"

namespace octet::cli {

void add_scheme_options(CommandLine line, SchemeOptions& options) {
  line.option("--activations", options.activations, "Type of activations", "NAME")
      .one_of({"int8", "uint8"})
      .shows_default();
  line.flag("--per-tensor", options.per_tensor, "One scale for all weights of a node, not one per output channel");
  line.flag("--symmetric-activations", options.symmetric_activations, "Zero points in the middle of the type");
}

StaticOptions static_options(const SchemeOptions& options) {
  return {.activations = options.activations == "int8" ? DType::kInt8 : DType::kUint8,
          .symmetric_activations = options.symmetric_activations,
          .per_channel = !options.per_tensor};
}

Trials trials_of(const std::string& model, const SamplesOptions& samples, const RunEngine& engine) {
  return make_trials(load_model_named(model), samples.runs(engine), shown_name(model),
                     progress_line("running the float model"));
}

}  // namespace octet::cli
