// inspect.cc: octet inspect
#include "octet/inspect/inspect.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/samples_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/data/image.h"
#include "octet/data/preprocessing.h"
#include "octet/evaluate/try_preprocessing.h"
#include "octet/graph/infer.h"
#include "octet/inspect/node_details.h"
#include "octet/inspect/report_json.h"
#include "octet/inspect/report_text.h"
#include "octet/quantize/inspect_nodes.h"
#include "octet/text/utf8.h"

namespace octet::cli {
namespace {

struct InspectArguments {
  std::string model, json, node, ranges;
  std::vector<std::string> dims;
  SamplesOptions samples;
  bool layers = false, attributes = false, values = false;
};

// How samples become inputs, where the model says it.
std::string samples_text(const Model& model) {
  try {
    const std::optional<Preprocessing> recorded = recorded_preprocessing(model);
    return recorded ? fmt::format("samples     {}\n", printable(to_string(*recorded))) : "";
  } catch (const Error& error) {
    return fmt::format("samples     {}\n", printable(error.what()));
  }
}

// Which common preprocessing fits a float model.
int hint_at_preprocessing(const InspectArguments& options, const Model& model) {
  const auto open = [&](const PixelForm& pixels, bool bgr) {
    SamplesOptions samples = options.samples;
    samples.pixels = pixels.divisor == 1 ? "byte" : "unit";
    samples.channel_order = bgr ? "bgr" : "rgb";
    samples.mean = pixels.mean;
    samples.deviation = pixels.deviation;
    std::error_code error;
    const bool are_images = std::filesystem::is_directory(samples.data, error) || is_image_name(samples.data);
    return bgr && !are_images ? nullptr : samples.open(model);
  };
  const PreprocessingHint hint =
      try_preprocessings(model, {.open = open, .batch = options.samples.batch, .progress = progress_line("trying")});
  print(hint_text(hint, terminal_width()));
  return kFine;
}

int run_inspect(const InspectArguments& options) {
  check_outputs({{"model", options.model}, {"--ranges", options.ranges}}, {{"--json", options.json}});
  LoadedModel loaded = load_model_with_size(options.model);
  warn_of_newer_opset(loaded.model, options.model);
  const Model model = bind_dimensions(std::move(loaded.model), parse_dimensions(options.dims));
  if (options.samples.given()) return hint_at_preprocessing(options, model);
  ModelReport report = inspect(model);
  report.path = shown_name(options.model);
  report.file_bytes = loaded.bytes;
  if (!options.node.empty()) {
    const std::vector<NodeDetails> details = inspect_nodes(model, report, options.node, options.ranges);
    if (options.json.empty())
      print(node_details_text(report, details, terminal_width()));
    else
      write_json(report_json(report, details), options.json);
  } else if (options.json.empty())
    print(report_text(report, {terminal_width(), options.layers, options.attributes, options.values}) +
          samples_text(model));
  else
    write_json(report_json(report), options.json);
  return kFine;
}

}  // namespace

Command inspect_command(Parser& parser) {
  CommandLine line =
      parser.command("inspect", "Say what is in a model: every node, its types, shapes and quantization");
  auto options = std::make_shared<InspectArguments>();
  add_model_operand(line, options->model);
  line.flag("--layers", options->layers,
            "Leave out conversions and constants; show at each node how its tensors are quantized");
  line.flag("--attributes", options->attributes, "Print every node's attributes");
  line.flag("--values", options->values, "Print every scale and zero point, not their range");
  const Argument node =
      line.option("--node", options->node,
                  "All about the nodes whose name matches: neighbours, numbers in weights, ranges", "REGEX");
  line.option("--ranges", options->ranges, "Show the ranges that octet quantize --save-ranges wrote", "FILE")
      .needs(node);
  add_samples_options(line, options->samples);
  add_dim_option(line, options->dims);
  add_json_option(line, options->json);
  line.example(
      "  octet inspect model.onnx\n"
      "  octet inspect model.onnx --node 'block2.conv'\n"
      "  octet inspect model.onnx --data photos --samples 100\n"
      "  octet inspect model.onnx --dim N=1 --json facts.json");
  return {line, [options, line] {
            refuse_unused(line,
                          {{options->samples.given(),
                            {"--layers", "--attributes", "--values", "--node", "--json", "--pixels", "--mean",
                             "--deviation", "--channel-order"},
                            "--data tries which preprocessing fits"},
                           {!options->json.empty(), {"--layers", "--attributes", "--values"}, "--json has it all"},
                           {!options->node.empty(), {"--layers", "--attributes", "--values"}, "--node has it all"}});
            return run_inspect(*options);
          }};
}

}  // namespace octet::cli
