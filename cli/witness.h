// witness.h: elements that differ, explained.
#pragma once

#include <string>

#include "octet/verify/verify.h"

namespace octet::cli {

// The same, each witness of saturation with the accumulator and the pair of products that it comes from.
Verification with_notes(Verification found, const Engine& engine);

// How Octet computes the first of them from the other side's own tensors; empty when nothing differs.
std::string explanation_of(const Verification& found, const Engine& engine);

}  // namespace octet::cli
