// export.cc: octet export
#include <fmt/format.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/dimensions.h"
#include "cli/exporter.h"
#include "cli/model_argument.h"
#include "cli/terminal.h"
#include "cli/unused_options.h"
#include "octet/base/fail.h"
#include "octet/export/export_report.h"
#include "octet/export/prepare_export.h"
#include "octet/program/policy.h"
#include "octet/text/numbers.h"

namespace octet::cli {
namespace {

struct ExportArguments {
  std::string model, policy = "exact", json;
  std::vector<std::string> dims;
  std::vector<Exporter> exporters;
};

// What one exporter has made.
struct Export {
  const Exporter* exporter;
  Exporter::Made made;
};

// No file of an export takes the place of one that is read, or of another export's.
void check_files(const ExportArguments& options, const std::vector<Export>& exports) {
  std::vector<NamedFile> inputs = {{"model", options.model}};
  for (const Export& one : exports)
    if (one.exporter->inputs)
      for (const NamedFile& input : one.exporter->inputs()) inputs.push_back(input);
  for (const Export& one : exports)
    for (const ExportedFile& file : one.made.files) {
      const std::string path = (std::filesystem::path(*one.exporter->folder) / file.name).string();
      for (const NamedFile& input : inputs)
        if (is_same_file(path, input.path))
          fail(ErrorCode::kUsage, "{} would overwrite {}, which is the {}; name another folder", one.exporter->option,
               path, input.option);
      if (is_same_file(path, options.json))
        fail(ErrorCode::kUsage, "{} and --json both write {}; name another file", one.exporter->option, path);
      for (const Export& other : exports)
        for (const ExportedFile& second : other.made.files)
          if (&other != &one && second.name == file.name &&
              is_same_file(path, (std::filesystem::path(*other.exporter->folder) / second.name).string()))
            fail(ErrorCode::kUsage, "{} and {} both write {}; name two folders", one.exporter->option,
                 other.exporter->option, path);
    }
}

ExportReport report_of(const ExportArguments& options, const std::vector<Export>& exports) {
  ExportReport report{.model = options.model, .policy = options.policy};
  for (const Export& one : exports)
    report.exports.push_back({one.exporter->option.substr(2), *one.exporter->folder, one.made.files});
  return report;
}

// A network whose layers are float at its ends exports the rest of it: that must not pass for the whole.
void warn_of_host(const Export& one) {
  const std::vector<std::string>& names = one.made.host_products;
  if (!names.empty())
    print_error(fmt::format("warning: {}: the host has to compute {} of float products: {}", one.exporter->option,
                            counted(static_cast<std::int64_t>(names.size()), "step"), fmt::join(names, ", ")));
}

// Everything is made before anything is written.
int run_export(const ExportArguments& options) {
  std::vector<NamedFile> inputs = {{"model", options.model}};
  for (const Exporter& exporter : options.exporters)
    if (!exporter.folder->empty() && exporter.inputs)
      for (const NamedFile& input : exporter.inputs()) inputs.push_back(input);
  check_outputs(inputs, {{"--json", options.json}});
  const Policy policy = policy_named(options.policy);
  const PreparedExport prepared = prepare_export(load_model_named(options.model, options.dims), policy);
  std::vector<Export> exports;
  for (const Exporter& exporter : options.exporters)
    if (!exporter.folder->empty())
      exports.push_back({&exporter, exporter.make({options.model, prepared.model, prepared.program})});
  check_files(options, exports);
  std::vector<ExportedFolder> folders;
  for (const Export& one : exports) folders.push_back({*one.exporter->folder, one.made.files});
  write_folders(folders);
  if (!options.json.empty()) write_json(exports_json(report_of(options, exports)), options.json);
  for (const Export& one : exports) warn_of_host(one);
  for (const Export& one : exports)
    if (options.json.empty()) print(one.made.summary);
  return kFine;
}

void check_asked(const CommandLine& line, const std::vector<Exporter>& exporters) {
  std::string names;
  for (const Exporter& exporter : exporters) names += (names.empty() ? "" : ", ") + exporter.option;
  if (std::ranges::all_of(exporters, [](const Exporter& exporter) { return exporter.folder->empty(); }))
    fail(ErrorCode::kUsage, "say what to make, and in which folder: {}", names);
  for (const Exporter& exporter : exporters) {
    const std::filesystem::path folder = *exporter.folder;
    std::error_code error;
    if (std::ranges::count(exporter.endings, folder.extension().string()) > 0 &&
        !std::filesystem::is_directory(folder, error))
      fail(ErrorCode::kUsage, "{} wants a folder for several files, and {} has the name of one; such as {}",
           exporter.option, folder.string(), (folder.parent_path() / folder.stem()).string());
  }
  for (const Exporter& exporter : exporters)
    refuse_unused(line, {{exporter.folder->empty(), exporter.options, "it is about the files of " + exporter.option}});
}

}  // namespace

Command export_command(Parser& parser) {
  CommandLine line = parser.command("export", "Write the integer program as files for hardware and firmware");
  auto options = std::make_shared<ExportArguments>();
  add_model_operand(line, options->model);
  options->exporters = {
      vectors_exporter(line),
      c_exporter(line),
      verilog_exporter(line),
  };
  add_policy_option(line, options->policy);
  add_dim_option(line, options->dims);
  add_json_option(line, options->json);
  line.example(
      "  octet export resnet8_int8.onnx --vectors golden --input image.npy\n"
      "  octet export resnet8_int8.onnx --vectors golden --random 1 --step block1.conv1 --format hex --word 16\n"
      "  octet export resnet8_int8.onnx --c firmware\n"
      "  octet export resnet8_int8.onnx --verilog rtl --multipliers 64");
  return {line,
          [options, line] {
            check_asked(line, options->exporters);
            return run_export(*options);
          },
          Limits::kMemoryAndTrips};
}

}  // namespace octet::cli
