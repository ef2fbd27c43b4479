// c_compiler.h: the C compiler of the machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace octet {

// $CC, else cc, with $CFLAGS, else -O3 -march=native; then the arguments. Throws kIo where it can't be started or does not
// accept what it is given, with the last lines of what it says.
void run_c_compiler(const std::vector<std::string>& arguments, const std::filesystem::path& scratch);

}  // namespace octet
