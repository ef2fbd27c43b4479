// lowered.h: programs for tests. Whatever makes one is held to require_consistent.
#pragma once

#include <utility>

#include "octet/program/lower.h"
#include "octet/program/resolve.h"

namespace octet {

inline Program consistent(Program program) {
  require_consistent(program);
  return program;
}

inline Program lowered(Model model, Policy policy) { return consistent(lower(std::move(model), policy)); }

}  // namespace octet
