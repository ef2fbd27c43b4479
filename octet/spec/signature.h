// signature.h: what operators take and give, by the names the standard has for it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "octet/spec/operator.h"

namespace octet {

struct Parameter {
  std::string_view name;
  bool optional = false;
  bool repeated = false;  // the last one; at least once, unless it is optional
};

struct Signature {
  std::vector<Parameter> inputs, outputs;
};

// The signature of an operator of the registry, in the version that `opset` has.
const Signature& signature_of(const Operator& op, int opset);

// Throws kModel, "input x is missing", unless the inputs (false: the empty name) and the number of outputs are what the
// operator wants. After this a node's inputs and outputs may be accessed by number.
void check_arguments(const Operator& op, int opset, const std::vector<bool>& inputs, std::size_t outputs);

}  // namespace octet
