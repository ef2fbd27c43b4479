// lookup.h: the operator that a node means.
#pragma once

#include <cstddef>
#include <span>

#include "octet/graph/model.h"
#include "octet/spec/operator.h"
#include "octet/spec/operators.h"

namespace octet {

// Null when Octet has no kernel for the node in the version that the model imports.
const Operator* find_operator(const Model& model, const Node& node);

// The same in any version. Null when Octet does not know the operator.
const Operator* operator_of(const Node& node);
// Whether the node's operator is `op` (an entry of spec/operators.h) or a copy of it in another domain.
bool is(const Node& node, const Operator& op);
bool is_one_of(const Node& node, std::span<const Operator* const> ops);
bool has(const Node& node, Trait trait);

// Which of its definitions an operator has in an opset: equal for opsets that did not change it.
std::ptrdiff_t definition_in(const Operator& op, int opset);

// Whether a node of one opset may be written in the other as it is: no input became an attribute or the other way round,
// and no default or axis means something else.
bool means_the_same(const Operator& op, int opset, int other);

// Throws kModel unless the node has the inputs and outputs that `op`, its operator, wants.
void check_arguments(const Model& model, const Node& node, const Operator& op);

// The same for every node that Octet has a kernel for; placed at the node, "conv_12 (QLinearConv): input x is missing".
void check_arguments(const Model& model);

}  // namespace octet
