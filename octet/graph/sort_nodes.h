// sort_nodes.h: nodes in execution order.
#pragma once

#include "octet/graph/model.h"

namespace octet {

// The standard wants every node behind those it reads from, and not every exporter keeps to it. Brings the nodes of the
// graph, of its subgraphs and of functions into such an order, and moves none without need: of those that could come
// next, the first in the file does. Where they form a cycle they stay as they are; validate() says so.
Model sort_nodes(Model model);

}  // namespace octet
