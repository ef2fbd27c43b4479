// run_checks.h: what every engine asks while it runs.
#pragma once

#include <string>

#include "octet/engine/engine.h"

namespace octet {

// Throws kCancelled where the run shall end.
void end_if_asked(const RunOptions& options);

// Throws kUsage unless an output of this type and shape may go there.
void require_bound_as(const std::string& output, const Buffer& buffer, DType dtype, const Shape& shape);

}  // namespace octet
