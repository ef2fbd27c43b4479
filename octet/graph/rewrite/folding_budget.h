// folding_budget.h: what folded constants may take.
#pragma once

#include <cstdint>

#include "octet/graph/model.h"

namespace octet {

// Bytes of all folded constants of a graph together: some nodes of a few bytes could ask for any amount. What does not
// fit stays a node.
std::int64_t folding_budget(const Graph& graph);

}  // namespace octet
