// infer.h: types and shapes of every value of a model, with symbolic dimensions.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "octet/base/error.h"
#include "octet/graph/model.h"
#include "octet/spec/operator.h"

namespace octet {

// What is known of each value of the main graph by its name: initializers and constants with their elements (an
// initializer that an input repeats counts as it stands in the file), everything else by the operators' shape rules,
// merged with what the file itself says (value_info). Values inside functions have the names of expand_functions.h.
using Facts = std::map<std::string, Fact, std::less<>>;

// Operators that Octet does not know give what the file says of their outputs and nothing else; a value of which
// nothing is known is absent. Throws kConstraint or kModel, placed at the node, when a rule is violated or the file
// contradicts it.
Facts infer(const Model& model);

// The same for a model that may be wrong: what would be thrown at a node goes to `found`, placed at the node, and so
// does what Octet does not compute there (kUnsupported); the node's outputs are then known by the file's word alone.
Facts infer(const Model& model, const std::function<void(const Error&)>& found);

// The model with value_info and output types filled in from infer().
Model with_inferred_types(Model model);

// The model with what its outputs and value_info say of shapes replaced by what the operators' rules say, wherever the two
// contradict each other and agree on the type, or by what an input says of itself; `said` gets a sentence for each value, placed
// at the node. Violations of other rules stay: infer() throws them.
Model correct_shapes(Model model, const std::function<void(const Error&)>& said);

// The model with symbolic dimensions replaced by numbers wherever inputs, outputs and value_info name them. Throws
// kUsage, naming the symbols there are, for one that the model does not have.
Model bind_dimensions(Model model, const std::map<std::string, std::int64_t>& values);

}  // namespace octet
