// export_vectors.cc: octet export --vectors
#include "cli/exporter.h"
#include "cli/several_inputs.h"
#include "cli/terminal.h"
#include "octet/base/fail.h"
#include "octet/export/export_report.h"
#include "octet/export/vectors.h"
#include "octet/graph/model_hash.h"

namespace octet::cli {
namespace {

struct VectorArguments {
  SeveralInputs inputs;
  std::string step, format = "npz", layout = "chw";
  int word = 1;
  bool directed = false;
};

}  // namespace

Exporter vectors_exporter(CommandLine line) {
  auto options = std::make_shared<VectorArguments>();
  auto folder = std::make_shared<std::string>();
  line.option("--vectors", *folder, "Write golden vectors: every tensor and constant, and a manifest of them",
              "FOLDER");
  add_several_inputs(line, options->inputs, ", to compute tensors from");
  line.option("--step", options->step, "Of this step alone: what it reads, its constants, what it makes", "NAME");
  line.option("--format", options->format, "npz (default), npy, hex ($readmemh), c (headers) or raw", "NAME");
  line.option("--layout", options->layout, "chw (default) or hwc: the order of activations and weights", "NAME");
  line.option("--word", options->word, "Bytes of a word of --format hex; else one element", "BYTES").within(1, 4096);
  line.flag(
      "--directed", options->directed,
      "Also rows for each layer on which mistakes show: both sides of the outermost steps and of every exception");
  Exporter exporter{.option = "--vectors",
                    .options = {"--input", "--random", "--step", "--format", "--layout", "--word", "--directed"},
                    .endings = {".npz", ".npy", ".hex", ".mem", ".h", ".bin", ".raw", ".json"},
                    .folder = folder};
  exporter.inputs = [options] {
    std::vector<NamedFile> files;
    for (const std::string& file : options->inputs.files) files.push_back({"--input", file});
    return files;
  };
  exporter.make = [options, folder, line](const ExportSource& source) {
    const ArrayStyle style{array_format_named(options->format), layout_named(options->layout), options->word};
    if (style.format != ArrayFormat::kHex && line.has("--word"))
      fail(ErrorCode::kUsage, "--word is not used: only --format hex has words");
    Vectors vectors = export_vectors(source.program, {source.file, model_hash(source.model)},
                                     inputs_for_each(source.model, options->inputs),
                                     {style, options->step, options->directed, progress_line("steps")});
    std::string summary = vectors_text(vectors, *folder);
    return Exporter::Made{std::move(vectors.files), std::move(summary), std::move(vectors.host_products)};
  };
  return exporter;
}

}  // namespace octet::cli
