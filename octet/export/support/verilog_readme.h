// verilog_readme.h: the page that comes with exported Verilog.
#pragma once

#include <string>

#include "octet/export/accelerator_memories.h"

namespace octet {

// The same facts, for the terminal and for the page: sizes, input, output, what is the host's.
std::string verilog_summary(const IntegerProgram& program, const Accelerator& accelerator,
                            const AcceleratorWidths& widths);
std::string verilog_readme(const IntegerProgram& program, const Accelerator& accelerator,
                           const AcceleratorWidths& widths);

}  // namespace octet
