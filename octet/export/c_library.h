// c_library.h: exported C as a shared library that Octet, and others, can load.
#pragma once

#include "octet/export/c_source.h"

namespace octet {

// NAME_library.c, which with NAME.c, -DNAME_TRACE and -DOCTET_MODEL_FILE="..." makes a shared library with one symbol,
// octet_library: a struct with the names, types and shapes of inputs and outputs, a function that runs the network, and
// the model itself, the bytes of that file.
ExportedFile c_library(const Program& program, const CSource& source);

}  // namespace octet
