// export_c.cc: octet export --c
#include <fmt/core.h>

#include <algorithm>

#include "cli/exporter.h"
#include "octet/base/fail.h"
#include "octet/base/npy.h"
#include "octet/base/npz.h"
#include "octet/engine/reference_engine.h"
#include "octet/export/c_source.h"
#include "octet/export/c_test_program.h"
#include "octet/export/identifiers.h"
#include "octet/text/numbers.h"

namespace octet::cli {
namespace {

struct CArguments {
  std::string folder, name, requantize = "integer", vectors;
};

// The arrays that are inputs of the program; it says what it wants where there are others.
NamedTensors arrays_for_inputs(const std::string& file, const Program& program) {
  const NpzReader archive(file);
  NamedTensors inputs;
  for (const std::string& name : archive.names()) {
    const bool wanted = std::ranges::any_of(
        program.inputs, [&](const ProgramInput& input) { return program.values[input.value].name == name; });
    inputs.emplace(name, wanted ? archive.read(name) : Tensor());
  }
  return inputs;
}

NamedTensors named_inputs(const std::string& file, const Program& program) {
  if (file.ends_with(".npz")) return arrays_for_inputs(file, program);
  if (program.inputs.size() != 1)
    fail(ErrorCode::kUsage, "{} holds one array, the network has {} inputs: give an .npz archive", file,
         program.inputs.size());
  return {{program.values[program.inputs[0].value].name, load_npy(file)}};
}

// The test program, and for these inputs every tensor that the reference engine computes.
void add_test(const CArguments& options, const Program& program, const CSource& source, ExportedFiles& files) {
  files.push_back(c_test_program(program, source));
  if (options.vectors.empty()) return;
  const ReferenceEngine engine(program);
  const NamedTensors inputs = engine.checked_inputs(named_inputs(options.vectors, program));
  NamedTensors values = engine.run(inputs, {.keep_all = true});
  values.insert(inputs.begin(), inputs.end());
  const ExportedFiles vectors = c_vectors(program, source, values, "vectors");
  files.insert(files.end(), vectors.begin(), vectors.end());
}

Exporter::Made made_c(const CArguments& options, const Program& program) {
  if (!options.name.empty() && Identifiers().make(options.name) != options.name)
    fail(ErrorCode::kUsage, "--c-name wants an identifier of C, such as {}, and not {}",
         Identifiers().make(options.name), options.name);
  const CSource source =
      c_source(program, {.name = options.name, .float32_requantize = options.requantize == "float32"});
  ExportedFiles files = {source.source, source.header};
  add_test(options, program, source, files);
  const std::string test = source.name + "_test.c" + (options.vectors.empty() ? "" : " with vectors/");
  return {files, fmt::format("written to {}: {}, {} and {}; {} and {} of static memory\n", options.folder,
                             source.source.name, source.header.name, test, counted(source.memory_bytes, "byte"),
                             counted(source.scratch_bytes, "byte"))};
}

}  // namespace

Exporter c_exporter(CommandLine line) {
  auto options = std::make_shared<CArguments>();
  line.option("--c", options->folder, "Write the network as C99 without libc: one file, one header, a test program",
              "FOLDER");
  line.option("--c-name", options->name, "What its functions and files begin with; else the network's name", "NAME");
  line.option("--c-requantize", options->requantize,
              "How sums become bytes: integer (else), or float32 as the operators define it; the same bits", "HOW")
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
