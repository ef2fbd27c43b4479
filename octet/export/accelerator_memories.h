// accelerator_memories.h: the accelerator's constants as words for $readmemh, and how wide their numbers are.
#pragma once

#include <string>
#include <vector>

#include "octet/export/accelerator.h"
#include "octet/export/hex_words.h"

namespace octet {

// Parameters of hardware/octet_accelerator.v that follow from a network's numbers: no register is wider than they need.
struct AcceleratorWidths {
  int field = 1;                                                        // counts and addresses
  int w = 8;                                                            // a weight less its zero point
  int acc = 1, m = 2, sum = 10, shift = 4, exceptions = 1, length = 1;  // of requantizers
  int add_m = 2, add_sum = 10, add_shift = 4, add_exceptions = 1;       // of additions
};
AcceleratorWidths accelerator_widths(const Accelerator& accelerator);

struct AcceleratorMemories {
  std::vector<BitWord> steps, weights, channels, additions;
};
AcceleratorMemories accelerator_memories(const Accelerator& accelerator, const AcceleratorWidths& widths);

}  // namespace octet
