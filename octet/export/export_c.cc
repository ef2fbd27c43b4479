#include "octet/export/export_c.h"

#include <fmt/core.h>

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/engine/reference_engine.h"
#include "octet/export/c_test_program.h"
#include "octet/export/identifiers.h"
#include "octet/system/npy.h"
#include "octet/system/npz.h"

namespace octet {
namespace {

// The arrays that are inputs of the program; it says what it wants where there are others.
NamedTensors arrays_for_inputs(const std::filesystem::path& file, const Program& program) {
  const NpzReader archive(file);
  NamedTensors inputs;
  for (const std::string& name : archive.names()) {
    const bool wanted = std::ranges::any_of(
        program.inputs, [&](const ProgramInput& input) { return program.values[input.value].name == name; });
    inputs.emplace(name, wanted ? archive.read(name) : Tensor());
  }
  return inputs;
}

NamedTensors named_inputs(const std::filesystem::path& file, const Program& program) {
  if (file.extension() == ".npz") return arrays_for_inputs(file, program);
  if (program.inputs.size() != 1)
    fail(ErrorCode::kUsage, "{} holds one array, the network has {} inputs: give an .npz archive", file.string(),
         program.inputs.size());
  return {{program.values[program.inputs[0].value].name, load_npy(file)}};
}

ExportedFiles vectors_of(const std::filesystem::path& file, const Program& program, const CSource& source) {
  const ReferenceEngine engine(program);
  const NamedTensors inputs = engine.checked_inputs(named_inputs(file, program));
  NamedTensors values = engine.run(inputs, {.keep_all = true});
  values.insert(inputs.begin(), inputs.end());
  return c_vectors(program, source, values, "vectors");
}

}  // namespace

ExportedC export_c(const Program& program, const ExportCOptions& options) {
  if (!options.name.empty() && Identifiers().make(options.name) != options.name)
    fail(ErrorCode::kUsage, "--c-name wants an identifier of C, such as {}, and not {}",
         Identifiers().make(options.name), options.name);
  ExportedC made{.source = c_source(program, {options.name, options.float32_requantize})};
  made.files = {made.source.source, made.source.header, c_test_program(program, made.source)};
  if (!options.vectors.empty()) {
    const ExportedFiles vectors = vectors_of(options.vectors, program, made.source);
    made.files.insert(made.files.end(), vectors.begin(), vectors.end());
  }
  return made;
}

}  // namespace octet
