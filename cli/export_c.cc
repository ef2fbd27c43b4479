// export_c.cc: octet export --c
#include "octet/export/export_c.h"

#include <utility>

#include "cli/exporter.h"
#include "octet/export/export_report.h"

namespace octet::cli {
namespace {

struct CArguments {
  std::string folder, name, requantize = "integer", vectors;
};

Exporter::Made made_c(const CArguments& options, const Program& program) {
  ExportedC made = export_c(
      program,
      {.name = options.name, .float32_requantize = options.requantize == "float32", .vectors = options.vectors});
  std::string summary = c_text(made, options.folder);
  return {std::move(made.files), std::move(summary)};
}

}  // namespace

Exporter c_exporter(CommandLine line) {
  auto options = std::make_shared<CArguments>();
  line.option("--c", options->folder, "Write the network as C99 without libc: one file, one header, a test program",
              "FOLDER");
  line.option("--c-name", options->name, "What its functions and files begin with; else the network's name", "NAME");
  line.option("--c-requantize", options->requantize,
              "How sums become bytes: integer (default), or float32 as the operators define it; the same bits", "HOW")
      .one_of({"integer", "float32"});
  line.option("--c-vectors", options->vectors,
              "Inputs by name (.npz), or the only input (.npy): write what its test program compares for them", "FILE")
      .ends_in({".npz", ".npy"});
  return {"--c",
          {"--c-name", "--c-requantize", "--c-vectors"},
          {".c", ".h"},
          std::shared_ptr<std::string>(options, &options->folder),
          [options] {
            return std::vector<NamedFile>{{"--c-vectors", options->vectors}};
          },
          [options](const Program& program) { return made_c(*options, program); }};
}

}  // namespace octet::cli
