// lower.cc: octet lower
#include "octet/program/lower.h"

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/terminal.h"
#include "octet/graph/infer.h"
#include "octet/onnx/model_file.h"
#include "octet/program/program_json.h"
#include "octet/program/program_text.h"

namespace octet::cli {
namespace {

struct Options {
  std::string model, output, json, policy = "exact";
  std::vector<std::string> dims;
  bool unsigned_weights = false;
};

int run(const Options& options) {
  const Policy policy = policy_named(options.policy);
  Model model = bind_dimensions(load_model(options.model), parse_dimensions(options.dims));
  const Program program = lower(std::move(model), policy);
  if (!options.output.empty()) save_model(to_model(program, {options.unsigned_weights}), options.output);
  if (options.json.empty())
    print(program_text(program, terminal_width()));
  else
    write_json(program_json(program, options.model, name(policy)), options.json);
  return kFine;
}

}  // namespace

Command lower_command(Parser& parser) {
  CommandLine line = parser.command("lower", "Show the integer program that an 8-bit model means, and write it");
  auto options = std::make_shared<Options>();
  line.option("model", options->model, "The .onnx file").required();
  line.option("-o,--output", options->output, "Write the program as an .onnx file of integer operators", "FILE");
  line.flag("--unsigned-weights", options->unsigned_weights,
            "Write int8 weights that meet uint8 activations as uint8: the same results, and exact on x86 without VNNI");
  line.option("--policy", options->policy,
              "exact (as much integer as is exact; else), onnxruntime (what it fuses on x86), as-written", "NAME");
  add_dim_option(line, options->dims);
  add_json_option(line, options->json);
  line.example(
      "  octet lower model_qdq.onnx\n"
      "  octet lower model_qdq.onnx -o model_int.onnx --json program.json");
  return {line, [options] { return run(*options); }};
}

}  // namespace octet::cli
