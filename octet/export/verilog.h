// verilog.h: an integer program as hardware: the modules of hardware/, parameters, memories, and a bench that proves it on
// golden vectors.
#pragma once

#include <string>

#include "octet/export/files.h"
#include "octet/integer/integer_program.h"

namespace octet {

struct VerilogOptions {
  int multipliers = 32;  // a power of two from 1 to 256
  int images = 3;        // of random bytes, with which the bench comes
};

struct VerilogFiles {
  ExportedFiles files;
  std::string summary;                     // for the user: what was made, and what is the host's
  std::vector<std::string> host_products;  // steps that multiply by weights and are the host's
};

// The integer program between the float steps, which are the host's. Throws kUnsupported with every step that keeps it from
// being hardware: float ones in between, and those of integers that the hardware lacks.
IntegerProgram hardware_program(const Program& program, int multipliers);

// Throws kUsage for a number of multipliers that can't be, and kUnsupported with every step that the hardware lacks.
VerilogFiles verilog(const IntegerProgram& program, const VerilogOptions& options);

}  // namespace octet
