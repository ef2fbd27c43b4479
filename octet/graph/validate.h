// validate.h: what must hold before anything else looks at a model.
#pragma once

#include "octet/graph/model.h"

namespace octet {

// Throws kModel, naming the node and the value, unless: every value has one producer; every node input is a graph
// input, an initializer, the output of an earlier node, or visible from an enclosing graph; graph outputs exist;
// initializer names are unique; op types are not empty; opset imports are unique; subgraphs and function bodies hold
// the same. A cycle shows as a node that uses a later node's output, and is reported as such.
void validate(const Model& model);

}  // namespace octet
