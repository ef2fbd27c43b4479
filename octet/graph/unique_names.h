// unique_names.h: no two values of one name.
#pragma once

#include "octet/graph/model.h"

namespace octet {

// The model with every value that a subgraph defines under a name that no other value of the model has, in whatever graph:
// rewrites may then move nodes into and out of graphs, and rename what graphs read. The values of the main graph keep
// their names.
Model with_unique_names(Model model);

}  // namespace octet
