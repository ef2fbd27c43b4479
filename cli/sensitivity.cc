// sensitivity.cc: octet sensitivity
#include <fmt/core.h>

#include "cli/command.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/quantization.h"
#include "cli/samples_options.h"
#include "cli/scheme_options.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/system/atomic_file.h"
#include "octet/tune/sensitivity_report.h"

namespace octet::cli {
namespace {

struct SensitivityArguments {
  std::string model, calibration = "minmax", plot, save_rules, keep_as = "float", json, engine = kDefaultEngine;
  SamplesOptions samples;
  SchemeOptions scheme;
  std::optional<int> keep;
  int threads = 0;
};

std::string kept_text(const FoundSensitivity& found, const std::string& file) {
  std::string names;
  for (const Layer& layer : found.kept) names += (names.empty() ? "" : ", ") + layer.name;
  if (found.kept_wide) return fmt::format("{}: 16-bit activations for {}\n", file, names);
  return fmt::format("{}: {} {} float\n", file, names, found.kept.size() == 1 ? "stays" : "stay");
}

int run_sensitivity(const SensitivityArguments& o) {
  check_outputs({{"model", o.model}, {"--data", o.samples.data}},
                {{"--plot", o.plot}, {"--save-rules", o.save_rules}, {"--json", o.json}});
  if (!o.samples.given()) fail(ErrorCode::kUsage, "give samples with --data; labels are not needed");
  engine_named(o.engine);
  const Trials trials = trials_of(o.model, o.samples, {o.engine, o.threads});
  FindSensitivityOptions options{.calibration = calibration_named(o.calibration),
                                 .quantization = static_options(o.scheme),
                                 .calibration_progress = progress_line("calibrating"),
                                 .progress = progress_line("quantizing layer by layer")};
  if (!o.save_rules.empty()) options.keep = {.count = o.keep, .wide = o.keep_as == "16-bit"};
  const FoundSensitivity found = find_sensitivity(trials, options);
  if (!o.plot.empty()) write_file(o.plot, sensitivity_picture(found, *trials.baseline));
  if (!o.save_rules.empty()) write_file(o.save_rules, rules_text(found.decisions));
  if (!o.json.empty())
    write_json(sensitivity_json(found, trials, o.model), o.json);
  else
    print(sensitivity_text(found, *trials.baseline, terminal_width()) +
          (found.kept.empty() ? "" : kept_text(found, o.save_rules)));
  return kFine;
}

}  // namespace

Command sensitivity_command(Parser& parser) {
  CommandLine line =
      parser.command("sensitivity", "Find the layers that 8 bits hurt: each alone quantized, each alone spared");
  auto o = std::make_shared<SensitivityArguments>();
  add_model_operand(line, o->model);
  add_samples_options(line, o->samples);
  add_calibration_option(line, o->calibration);
  add_scheme_options(line, o->scheme);
  line.option("--save-rules", o->save_rules, "Rules for octet quantize that spare the worst layers", "FILE");
  line.option("--keep", o->keep, "So many of them; else as many as make half of the noise", "N").within(1, 1000000);
  line.option("--keep-as", o->keep_as, "What becomes of them: float, or 8 bits with 16-bit activations", "NAME")
      .one_of({"float", "16-bit"})
      .shows_default();
  line.option("--plot", o->plot, "Draw the layers' shares of the noise (.svg)", "FILE").ends_in({".svg"});
  add_engine_option(line, o->engine);
  add_threads_option(line, o->threads);
  add_json_option(line, o->json);
  line.example("  octet sensitivity model.onnx --data photos.npz --save-rules rules.json");
  return {line,
          [o, line] {
            refuse_unused(line, {{o->save_rules.empty(), {"--keep", "--keep-as"}, "it is about --save-rules"}});
            return run_sensitivity(*o);
          },
          Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
