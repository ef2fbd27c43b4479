// pitfalls.h: the mistakes that hardware teams make, as a list.
#pragma once

#include <string>
#include <vector>

#include "octet/simulate/hardware.h"

namespace octet {

struct Pitfall {
  std::string name;
  Hardware hardware;
};

// In the order of a step: the sum, its operands, the multiplier, the rounding; then analog arrays.
std::vector<Pitfall> standard_pitfalls(std::uint64_t seed);

}  // namespace octet
