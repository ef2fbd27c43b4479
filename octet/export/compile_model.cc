#include "octet/export/compile_model.h"

#include <fmt/core.h>

#include <filesystem>

#include "octet/base/fail.h"
#include "octet/export/c_compiler.h"
#include "octet/export/c_library.h"
#include "octet/export/prepare_export.h"
#include "octet/onnx/model_file.h"
#include "octet/system/scratch_folder.h"

namespace octet {
namespace {

constexpr const char* kLibraryName = "network";

}  // namespace

CompileResult compile_model(const Model& model, const CompileOptions& options) {
  const PreparedExport prepared = prepare_library(model, options.policy);
  const CSource source =
      c_source(prepared.program, {.name = kLibraryName, .float32_requantize = options.float32_requantize});
  const ScratchFolder folder;
  const std::filesystem::path onnx = folder.path() / "model.onnx", library = folder.path() / "network.so";
  const ExportedFile interface = c_library(prepared.program, source);
  write_files(folder.path(), {source.source, source.header, interface});
  save_model(prepared.model, onnx);
  run_c_compiler({"-std=gnu99", "-ffp-contract=off", "-fPIC", "-fexceptions", "-shared", "-fvisibility=hidden",
                  "-DNETWORK_TRACE", fmt::format("-DOCTET_MODEL_FILE=\"{}\"", onnx.string()), "-o", library.string(),
                  (folder.path() / source.source.name).string(), (folder.path() / interface.name).string()},
                 folder.path());
  if (!std::filesystem::exists(library))
    fail(ErrorCode::kIo, "the C compiler wrote no library, though it ended with code 0; look at $CC");
  return {.library = read_file(library),
          .steps = prepared.program.steps.size(),
          .memory_bytes = source.memory_bytes,
          .scratch_bytes = source.scratch_bytes};
}

}  // namespace octet
