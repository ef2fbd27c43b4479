// lookup.h: the operator that a node means.
#pragma once

#include "octet/graph/model.h"
#include "octet/spec/operator.h"

namespace octet {

// Null when Octet has no kernel for the node in the version that the model imports.
const Operator* find_operator(const Model& model, const Node& node);

// Throws kModel unless the node has the inputs and outputs that `op`, its operator, wants.
void check_arguments(const Model& model, const Node& node, const Operator& op);

// The same for every node that Octet has a kernel for; placed at the node, "conv_12 (QLinearConv): input x is missing".
void check_arguments(const Model& model);

}  // namespace octet
