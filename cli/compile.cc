// compile.cc: octet compile
#include <fmt/core.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/quantization.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/export/compile_model.h"
#include "octet/export/compile_report.h"
#include "octet/graph/infer.h"
#include "octet/program/policy.h"
#include "octet/system/atomic_file.h"

namespace octet::cli {
namespace {

struct CompileArguments : QuantizationOptions {
  std::string output, policy = "exact", requantize = "integer", json;
  std::vector<std::string> dims, machine, optimization;
  bool emit_lib = false;
  std::string accelerator, architecture;
  bool quantizes = false;  // on the way
};

int run_compile(const CompileArguments& o) {
  check_outputs({{"model", o.model}, {"--data", o.samples.data}, {"--ranges", o.ranges}, {"--rules", o.rules}},
                {{"--output", o.output},
                 {"--save-ranges", o.save_ranges},
                 {"--save-simplified", o.save_simplified},
                 {"--json", o.json}});
  Model model = load_model_named(o.model);
  std::string how;
  if (o.quantizes) {
    Outcome outcome = quantized(o, std::move(model));
    for (const std::string& warning : outcome.warnings) print_error("warning: " + warning);
    model = std::move(outcome.model);
    how = outcome.how;
  }
  const CompileResult made =
      compile_model(bind_dimensions(std::move(model), parse_dimensions(o.dims)),
                    {.policy = policy_named(o.policy), .float32_requantize = o.requantize == "float32"});
  write_file(o.output, made.library.bytes);
  const CompileSource source = {.model = o.model, .policy = o.policy, .quantized = how, .output = o.output};
  if (o.json.empty())
    print(compile_text(made, source));
  else
    write_json(compile_json(made, source), o.json);
  return kFine;
}

// What other compilers are told of their targets; here the C compiler's flags say it.
void note_machine(const CompileArguments& o, const CommandLine& line) {
  std::vector<std::string> said;
  for (const std::string& word : o.machine) said.push_back("-m" + word);
  if (line.has("--maccel")) said.push_back("--maccel");
  if (line.has("--march")) said.push_back("--march");
  for (const std::string& word : o.optimization) said.push_back("-O" + word);
  if (o.emit_lib) said.push_back("--EmitLib");
  for (const std::string& word : said) {
    if (!word.starts_with("-O") && word != "--EmitLib" && !word.starts_with("-maccel") && !word.starts_with("-march") &&
        !word.starts_with("--ma"))
      fail(ErrorCode::kUsage, "there is no option {}; $CFLAGS is for the C compiler", word);
    print_error(fmt::format("note: {} chooses nothing here: $CC and $CFLAGS do", word));
  }
}

}  // namespace

Command compile_command(Parser& parser) {
  CommandLine line = parser.command("compile", "Make a shared library of a network: its program as C, compiled");
  auto o = std::make_shared<CompileArguments>();
  add_model_operand(line, o->model);
  line.option("-o,--output", o->output, "The library; octet run, verify, evaluate and bench take it as a model", "FILE")
      .ends_in({".so"})
      .required();
  add_dim_option(line, o->dims);
  add_policy_option(line, o->policy);
  line.option("--requantize", o->requantize,
              "How sums become bytes: integer (default), or float32 as the operators define it; the same bits", "HOW")
      .one_of({"integer", "float32"});
  line.flag("--force", o->force, "Quantize what is float in a model that is quantized already");
  add_quantization_options(line, *o);
  add_json_option(line, o->json);
  line.option("-m", o->machine,
              "-maccel=..., -march=...: accepted as other compilers have them; they choose nothing here", "WORD")
      .once_each();
  line.option("-O", o->optimization, "-O0 to -O3: the same; $CFLAGS says how the C compiler optimizes", "LEVEL")
      .once_each();
  line.flag("--EmitLib", o->emit_lib, "The same; a library is what is made");
  line.option("--maccel", o->accelerator, "The same", "NAME");
  line.option("--march", o->architecture, "The same", "NAME");
  line.example(
      "  octet compile resnet8_int8.onnx -o resnet8.so && octet run resnet8.so --input image.npy\n"
      "  octet compile model.onnx -o model.so --nnpa-quant-dynamic=asymActivation,symWeight "
      "--nnpa-quant-op-types=MatMul,Conv");
  return {line,
          [o, line] {
            o->quantizes =
                line.has("--data") || line.has("--ranges") || line.has("--dynamic") || line.has("--nnpa-quant-dynamic");
            if (o->quantizes)
              check_quantization_options(line, *o);
            else
              refuse_unused(line, {{true, quantization_options(),
                                    "it is about quantizing on the way: give --data, "
                                    "--ranges, --dynamic or --nnpa-quant-dynamic too"}});
            refuse_unused(line, {{true, {"--save-rules"}, "octet quantize writes them"}});
            note_machine(*o, line);
            return run_compile(*o);
          },
          Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
