// c_test_program.h: a program in C that runs exported C on vectors, and compares every tensor.
#pragma once

#include <map>
#include <string>

#include "octet/export/c_source.h"

namespace octet {

// NAME_test.c. Compiled with NAME.c and -DNAME_TRACE, it takes folders of vectors and says PASS, or the first difference with its
// tensor, place, what was got and what was wanted.
ExportedFile c_test_program(const Program& program, const CSource& source);

// A folder of vectors: raw elements in row-major order, little-endian, and index.txt, which says what they are. `values` by name:
// inputs, and as many of the program's values as are known.
ExportedFiles c_vectors(const Program& program, const CSource& source, const std::map<std::string, Tensor>& values,
                        const std::string& folder);

}  // namespace octet
