// describe_witnesses.h: explains elements that differ.
#pragma once

#include <cstddef>

#include "octet/verify/verify.h"

namespace octet {

// Explains the first witness from the other side's tensors, in lines of at most `width` columns. A witness of saturation gets a
// note: its accumulator and the pair of products that saturated. `engine` must outlive the result.
DescribeWitness describe_witnesses(const Engine& engine, std::size_t width);

}  // namespace octet
