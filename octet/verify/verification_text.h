// verification_text.h: what a verification found, for people.
#pragma once

#include <string>

#include "octet/program/program.h"
#include "octet/verify/verify.h"
#include "octet/verify/verify_model.h"

namespace octet {

// Totals first; then the tensors that are not equal, or all of them.
std::string verification_text(const Verification& verification, const Program& program, bool all, std::size_t width);

// How much ONNX Runtime saturates, with the first element as an example.
std::string saturation_text(const SaturationTrial& trial);

}  // namespace octet
