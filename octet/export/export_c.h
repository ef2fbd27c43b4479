// export_c.h: a program as C with its test program: every file that octet export --c writes.
#pragma once

#include <filesystem>

#include "octet/export/c_source.h"

namespace octet {

struct ExportCOptions {
  std::string name;                 // see CSourceOptions
  bool float32_requantize = false;  // see CSourceOptions
  // Inputs by name (.npz), or the only input (.npy). Where given, vectors/ holds every tensor that the reference engine computes of
  // them, for the test program.
  std::filesystem::path vectors;
};

struct ExportedC {
  CSource source;
  ExportedFiles files;  // the source, its header, the test program, the vectors
};

// Throws kUsage for a name that is no identifier and for inputs that are not the program's, and what c_source() throws.
ExportedC export_c(const Program& program, const ExportCOptions& options = {});

}  // namespace octet
