// witness.h: the first element that differs, explained.
#pragma once

#include <string>

#include "octet/verify/verify.h"

namespace octet::cli {

// How Octet computes it from the other side's own tensors; empty when nothing differs.
std::string explanation_of(const Verification& found, const ReferenceEngine& engine);

}  // namespace octet::cli
