// witness.h: explains elements that differ.
#pragma once

#include "octet/verify/verify.h"

namespace octet::cli {

// Explains the first witness from the other side's tensors. A witness of saturation gets a note: its accumulator and the pair of
// products that saturated. `engine` must outlive the result.
DescribeWitness describe_witnesses(const Engine& engine);

}  // namespace octet::cli
