#include "cli/compare_dumps.h"

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/model_argument.h"
#include "cli/outputs.h"
#include "cli/terminal.h"
#include "octet/export/dump_comparison.h"
#include "octet/export/dump_report.h"
#include "octet/export/dumps.h"
#include "octet/export/prepare_export.h"
#include "octet/program/policy.h"

namespace octet::cli {

int compare_dumps(const DumpArguments& options) {
  std::vector<NamedFile> inputs = {{"model", options.model}};
  for (const std::string& file : options.inputs.files) inputs.push_back({"--input", file});
  for (const std::string& path : options.against) inputs.push_back({"--against", path});
  check_outputs(inputs, {{"--json", options.json}});
  const Policy policy = policy_named(options.policy);
  const DumpStyle style{layout_named(options.layout), options.word};
  const EngineOptions engine_options{.threads = options.threads};
  const NamedEngine& named = engine_for(options.engine, engine_options);
  PreparedExport prepared = prepare_export(load_model_named(options.model, options.dims), policy);
  const Model& model = prepared.model;
  const auto engine = make_engine(named, std::move(prepared.program), engine_options);
  const Dumps dumps = read_dumps(engine->program(), options.against, style);
  require_used(dumps, style);
  const std::vector<VectorInput> run_inputs = inputs_for_each(model, options.inputs);
  const DumpComparison found = octet::compare_dumps(*engine, dumps, run_inputs, progress_line("steps"));
  const DumpReport report{found, dumps, run_inputs, *engine};
  if (options.json.empty())
    print(dumps_text(report, {.all = options.all, .layout = style.layout, .width = terminal_width()}));
  else
    write_json(
        dumps_json(report, {.model = options.model, .policy = options.policy, .engine = std::string(engine->name())}),
        options.json);
  return found.equal ? kFine : kDiffers;
}

}  // namespace octet::cli
