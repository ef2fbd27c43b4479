// inspect.h: what is in a model.
#pragma once

#include "octet/graph/model.h"
#include "octet/inspect/report.h"

namespace octet {

// Never fails on a model that could be loaded: what does not hold is said in notes, at the node where it does not.
ModelReport inspect(const Model& model);

}  // namespace octet
