// model_hash.h: a number that tells whether two models compute the same, operation by operation.
//
// Hashed is what a run depends on: the versions of the operators; nodes in their order with operator, attributes and the
// names of the values they read and write; stored tensors by name; the names and element types of inputs and outputs; the
// model's own functions. Not hashed is what describes it: names of nodes and of the graph, comments, metadata, who
// wrote it, declared shapes; nor how a file stores it. So another tool may load a model and save it again, inside one
// file or with its tensors beside it, and the hash stays.
#pragma once

#include <string>

#include "octet/graph/model.h"

namespace octet {

// SHA-256, as 64 hexadecimal digits.
std::string model_hash(const Model& model);

}  // namespace octet
