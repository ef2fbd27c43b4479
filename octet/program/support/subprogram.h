// subprogram.h: the graph of an operation, as its operator sees it.
#pragma once

#include "octet/program/program.h"

namespace octet {

// Its own inputs and its outputs, as far as they are known. It can neither infer nor run yet.
Body declared_body(const Subprogram& graph);

// Why an operator that runs graphs stays one step, and its graphs as they are written.
std::string why_at_run_time(const Operator& op);

}  // namespace octet
