// compile_model.h: a network as a shared library: its program as C, compiled by the machine's C compiler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "octet/graph/model.h"
#include "octet/program/policy.h"
#include "octet/system/read_file.h"

namespace octet {

struct CompileOptions {
  Policy policy = Policy::kExact;
  bool float32_requantize = false;  // see CSourceOptions
};

struct CompileResult {
  FileBytes library;                                 // the file to write; CompiledNetwork opens it
  std::size_t steps = 0;                             // of the program
  std::int64_t memory_bytes = 0, scratch_bytes = 0;  // static memory of the library
};

// The model itself travels in the library. Intermediate files stand in a temporary folder, which is removed. Throws kUsage when a
// shape is not known, kUnsupported for steps that C can't have, and kIo when the compiler ($CC, $CFLAGS) can't be run or fails.
CompileResult compile_model(const Model& model, const CompileOptions& options = {});

}  // namespace octet
