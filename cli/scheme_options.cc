#include "cli/scheme_options.h"

#include "cli/model_argument.h"
#include "cli/terminal.h"

namespace octet::cli {

void add_scheme_options(CommandLine line, SchemeOptions& options) {
  line.option("--target", options.target, "What the model is to run on: which schemes are cheap there", "NAME")
      .one_of(choice_names<Deployment>())
      .shows_default();
  line.option("--activations", options.activations,
              "Type of activations; if not said uint8 for onnxruntime-x86, else int8", "NAME")
      .one_of({"int8", "uint8"});
  line.flag("--per-tensor", options.per_tensor, "One scale for all weights of a node, not one per output channel");
  line.flag("--symmetric-activations", options.symmetric_activations, "Zero points in the middle of the type");
}

StaticOptions static_options(const SchemeOptions& options) {
  const DType usual = activations_for(choice_named<Deployment>(options.target));
  return {.activations = options.activations.empty()     ? usual
                         : options.activations == "int8" ? DType::kInt8
                                                         : DType::kUint8,
          .symmetric_activations = options.symmetric_activations,
          .per_channel = !options.per_tensor};
}

Trials trials_of(const std::string& model, const SamplesOptions& samples, const RunEngine& engine,
                 const OtherSamples& others) {
  return make_trials(load_model_named(model), samples.runs(engine), shown_name(model),
                     progress_line("running the float model"), others);
}

}  // namespace octet::cli
