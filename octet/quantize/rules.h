// rules.h: how each float operator becomes 8-bit; one flat table.
#pragma once

#include <span>
#include <string_view>

#include "octet/spec/operator.h"

namespace octet {

enum class RuleKind {
  kWeighted,     // an activation times constant weights, with an int32 bias: Conv, Gemm, MatMul
  kElementwise,  // activations or constants in, an activation with its own parameters out: Add, Sigmoid; pools as asked
  kSoftmax,      // out in [0, 1): scale 1/256, zero point the type's minimum, whatever was observed
  kMove,         // bytes move, values stay: the output has the input's parameters
  kClamp,        // Relu and Clip: absorbed by the saturation of what comes before where that is exact
};

struct Rule {
  const Operator* op;  // of ai.onnx
  RuleKind kind;
  int data_inputs;  // how many leading inputs are data; -1: all of them
  // Its counterpart on integers; a move is its own. Null: computed in float between DequantizeLinear and QuantizeLinear,
  // in operator format too.
  const Operator* integer_op = nullptr;
};

inline constexpr const char* kMicrosoft = "com.microsoft";  // the domain of most counterparts

std::span<const Rule> rules();
// Null when the operator stays float.
const Rule* find_rule(std::string_view domain, std::string_view op_type);

}  // namespace octet
