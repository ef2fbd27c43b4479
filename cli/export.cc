// export.cc: octet export
#include <fmt/core.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/export_verilog.h"
#include "cli/exporter.h"
#include "cli/model_argument.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/program/lower.h"
#include "octet/program/policy.h"

namespace octet::cli {
namespace {

struct ExportArguments {
  std::string model, policy = "exact";
  std::vector<std::string> dims;
  std::vector<Exporter> exporters;
};

// Everything is made before anything is written.
int run_export(const ExportArguments& options) {
  const Program program = lower(load_model_named(options.model, options.dims), policy_named(options.policy));
  std::vector<std::pair<std::string, Exporter::Made>> made;
  for (const Exporter& exporter : options.exporters)
    if (!exporter.folder->empty()) made.emplace_back(*exporter.folder, exporter.make(program));
  for (const auto& [folder, files] : made) {
    write_files(folder, files.files);
    print(files.summary);
  }
  return kFine;
}

void check_asked(const CommandLine& line, const std::vector<Exporter>& exporters) {
  std::string names;
  for (const Exporter& exporter : exporters) names += (names.empty() ? "" : ", ") + exporter.option;
  if (std::ranges::all_of(exporters, [](const Exporter& exporter) { return exporter.folder->empty(); }))
    fail(ErrorCode::kUsage, "say what to make, and in which folder: {}", names);
  for (const Exporter& exporter : exporters)
    refuse_unused(line, {{exporter.folder->empty(), exporter.options, "it is about the files of " + exporter.option}});
}

}  // namespace

Command export_command(Parser& parser) {
  CommandLine line = parser.command("export", "Write the integer program as files for hardware and firmware");
  auto options = std::make_shared<ExportArguments>();
  add_model_operand(line, options->model);
  options->exporters = {verilog_exporter(line)};
  add_policy_option(line, options->policy);
  add_dim_option(line, options->dims);
  return {line, [options, line] {
            check_asked(line, options->exporters);
            return run_export(*options);
          }};
}

}  // namespace octet::cli
