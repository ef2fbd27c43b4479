// in_file.h: which file an error is about.
#pragma once

#include <filesystem>

#include "octet/base/error.h"

namespace octet {

// The same error, its place preceded by the file's name: "model.onnx: initializer w: ...". Without a name it stays as it is.
Error in_file(const std::filesystem::path& file, const Error& error);

}  // namespace octet
