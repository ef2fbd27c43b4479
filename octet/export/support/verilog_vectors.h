// verilog_vectors.h: what the benches of hardware/bench read.
#pragma once

#include <cstdint>
#include <string>

#include "octet/export/accelerator.h"

namespace octet {

// The number of multipliers and the bytes of the image; then a line for each step: channels, rows, columns, bytes from a
// pixel to the next, products, and a name without spaces.
std::string tensors_text(const IntegerProgram& program, const Accelerator& accelerator);

// The bytes of an image and of every step's result, pixel after pixel: those of an image of random bytes.
std::int64_t vector_bytes(const Accelerator& accelerator);
std::string vector_text(const IntegerProgram& program, const Accelerator& accelerator, std::uint64_t seed);

}  // namespace octet
