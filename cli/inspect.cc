// inspect.cc: octet inspect
#include "octet/inspect/inspect.h"

#include <filesystem>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/terminal.h"
#include "octet/graph/infer.h"
#include "octet/inspect/report_json.h"
#include "octet/inspect/report_text.h"
#include "octet/onnx/model_file.h"

namespace octet::cli {
namespace {

struct Options {
  std::string model, json;
  std::vector<std::string> dims;
  bool layers = false, attributes = false, values = false;
};

int run(const Options& options) {
  const Model model = bind_dimensions(load_model(options.model), parse_dimensions(options.dims));
  ModelReport report = inspect(model);
  report.path = options.model;
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(options.model, ignored);
  report.file_bytes = ignored ? 0 : size;
  if (options.json.empty())
    print(report_text(report, {terminal_width(), options.layers, options.attributes, options.values}));
  else
    write_json(report_json(report), options.json);
  return kFine;
}

}  // namespace

Command inspect_command(Parser& parser) {
  CommandLine line =
      parser.command("inspect", "Say what is in a model: every node, its types, shapes and quantization");
  auto options = std::make_shared<Options>();
  line.option("model", options->model, "The .onnx file").required();
  line.flag("--layers", options->layers,
            "Leave out conversions and constants; show at each node how its tensors are quantized");
  line.flag("--attributes", options->attributes, "Print every node's attributes");
  line.flag("--values", options->values, "Print every scale and zero point, not their range");
  add_dim_option(line, options->dims);
  add_json_option(line, options->json);
  line.example(
      "  octet inspect model.onnx\n"
      "  octet inspect model.onnx --dim N=1 --json facts.json");
  return {line, [options] { return run(*options); }};
}

}  // namespace octet::cli
