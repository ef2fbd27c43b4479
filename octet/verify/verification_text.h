// verification_text.h: what a verification found, for people.
#pragma once

#include <string>

#include "octet/program/program.h"
#include "octet/verify/verify.h"

namespace octet {

// Totals first; then the tensors that are not equal, or all of them.
std::string verification_text(const Verification& verification, const Program& program, bool all, std::size_t width);

}  // namespace octet
