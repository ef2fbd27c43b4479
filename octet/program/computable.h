// computable.h: what Octet computes with, and what it only reads, writes and shows.
#pragma once

#include <string_view>

#include "octet/graph/model.h"
#include "octet/spec/operator.h"

namespace octet {

// Throws, placed at the node where there is one, unless Octet computes with everything in the model: its operators, the
// types of its inputs and initializers.
void require_computable(const Model& model);

// Whether Octet computes the node, and those of the graphs inside it. Throws kModel for arguments that its operator
// does not have.
bool is_computable(const Model& model, const Node& node);

// Throws kUnsupported for the types that Octet only reads, writes and shows.
void require_computable(DType dtype, std::string_view what, std::string_view name);

// The operator that a node means; throws, saying what is missing, where Octet does not compute it.
const Operator& computable_operator(const Model& model, const Node& node);

}  // namespace octet
