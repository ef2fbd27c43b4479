// interpret.h: what an IntegerProgram means, in plain loops over integers. Made to be read, and to be compared with; not to
// be fast.
#pragma once

#include <map>
#include <string>

#include "octet/integer/integer_program.h"

namespace octet {

// Tensors by name: the inputs, of the types and shapes that the program says; and the outputs, or everything that is
// computed. Throws kUsage where an input is missing, unknown, or of another type or shape.
std::map<std::string, Tensor> interpret(const IntegerProgram& program, const std::map<std::string, Tensor>& inputs,
                                        bool keep_all = false);

}  // namespace octet
