// quantize.cc: octet quantize
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/quantization.h"
#include "cli/terminal.h"
#include "octet/base/fail.h"
#include "octet/quantize/quantize_report.h"
#include "octet/system/atomic_file.h"

namespace octet::cli {
namespace {

struct QuantizeArguments : QuantizationOptions {
  std::string output, json;
};

QuantizeSource source_of(const Outcome& outcome, const QuantizeArguments& o) {
  return {.output = o.output,
          .ranges_file = outcome.ranges_file,
          .ranges_found = o.ranges.empty(),
          .engine = o.engine,
          .repairs = o.dynamic ? Repairs() : repairs_of(o)};
}

// What is to be said in any case, a line each.
std::vector<std::string> remarks_on(const Outcome& outcome, const QuantizeArguments& o) {
  std::vector<std::string> remarks;
  if (const std::string ranges = ranges_remark(outcome, source_of(outcome, o)); !ranges.empty())
    remarks.push_back(ranges);
  for (const std::string& warning : outcome.warnings) remarks.push_back("warning: " + warning);
  return remarks;
}

void check_files(const QuantizeArguments& o) {
  const std::vector<NamedFile> outputs = {{"--output", o.output},
                                          {"--save-ranges", o.save_ranges},
                                          {"--save-simplified", o.save_simplified},
                                          {"--save-rules", o.save_rules},
                                          {"--json", o.json}};
  if (!o.force && is_same_file(o.output, o.model))
    fail(ErrorCode::kUsage, "--output would overwrite {}, which is the model; name another file, or say --force",
         o.output);
  const std::string model = o.force && is_same_file(o.output, o.model) ? "" : o.model;
  check_outputs(
      {{"model", model}, {"--data", o.samples.data}, {"file of ranges", ranges_file_of(o)}, {"--rules", o.rules}},
      outputs);
}

int run_quantize(const QuantizeArguments& o) {
  check_files(o);
  const Outcome outcome = quantized(o, load_model_named(o.model));
  const std::string rules = o.save_rules.empty() ? "" : rules_text(outcome);
  save_model_named(outcome.model, o.output);
  if (!o.save_rules.empty()) write_file(o.save_rules, rules);
  if (!o.json.empty())
    write_json(quantize_json(outcome, source_of(outcome, o)), o.json);
  else if (o.output != "-")
    print(quantize_text(outcome, source_of(outcome, o), terminal_width()));
  else
    for (const std::string& remark : remarks_on(outcome, o)) print_error(remark);
  return kFine;
}

}  // namespace

Command quantize_command(Parser& parser) {
  CommandLine line = parser.command("quantize", "Make an 8-bit model of a float one, static or dynamic");
  auto o = std::make_shared<QuantizeArguments>();
  add_model_operand(line, o->model);
  line.option("-o,--output", o->output, "The 8-bit model (.onnx); - is standard output", "FILE")
      .ends_in({".onnx", "-"})
      .required();
  line.flag("--force", o->force, "Go on where the output overwrites the model, or the model is quantized already");
  add_json_option(line, o->json);
  add_quantization_options(line, *o);
  line.example(
      "  octet quantize model.onnx -o int8.onnx --data calibration.npz --calibration entropy\n"
      "  octet quantize model.onnx -o q.onnx --dynamic=symActivation,asymWeight --op-types MatMul,Conv");
  return {line,
          [o, line] {
            check_quantization_options(line, *o);
            return run_quantize(*o);
          },
          Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
