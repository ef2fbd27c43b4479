// hostile_model.h: small networks that no exporter would write, around an operator of the registry.
#pragma once

#include <cstdint>

#include "octet/graph/model.h"
#include "octet/spec/operator.h"

namespace octet {

// The operator on tensors that mostly suit it, alone, between DequantizeLinear and QuantizeLinear or behind a dynamic
// quantization, with some things wrong: inputs missing or too many, empty and huge shapes, extreme attributes, scales
// that are 0, infinite or NaN, elements and zero points of other types. The same for the same seed.
Model hostile_model(const Operator& op, std::uint64_t seed);

}  // namespace octet
