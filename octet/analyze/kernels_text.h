// kernels_text.h: what an engine computes each step with, on this machine.
#pragma once

#include <cstddef>
#include <string>

#include "octet/engine/engine.h"

namespace octet {

// A table no wider than `width`. Unbound symbolic dimensions are treated as 1.
std::string kernels_text(const Engine& engine, std::size_t width);

}  // namespace octet
