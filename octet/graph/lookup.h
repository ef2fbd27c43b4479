// lookup.h: the operator that a node means.
#pragma once

#include "octet/graph/model.h"
#include "octet/spec/operator.h"

namespace octet {

// Null when Octet has no kernel for the node in the version that the model imports.
const Operator* find_operator(const Model& model, const Node& node);

}  // namespace octet
