// library_file.h: a shared library as a file. Loading one runs its code, so it is looked at first.
#pragma once

#include <filesystem>

namespace octet {

// Throws kIo where the file is not a regular one or is not there, and kFormat where it is no ELF file, is cut off, or has
// no symbol octet_library that begins with kLibraryMark. Nothing of it is executed.
void require_octet_library(const std::filesystem::path& file);

}  // namespace octet
