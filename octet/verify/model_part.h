// model_part.h: the part of a model between values that are known and values that are wanted.
#pragma once

#include <set>
#include <string>

#include "octet/engine/engine.h"
#include "octet/graph/model.h"

namespace octet {

// The nodes that make the wanted values of the given ones, as a model whose outputs are the wanted ones among its own that
// they make. Given values are its inputs, with these types and shapes, unless a node makes them beside a value that is not
// given. The initializers and the model's own inputs that no node reads are left out.
Model model_part(const Model& model, const NamedTensors& given, const std::set<std::string>& wanted);

}  // namespace octet
