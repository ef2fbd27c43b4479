// quantized_binary.h: what QLinearAdd and QLinearMul share: inputs A, A_scale, A_zero_point, B, B_scale, B_zero_point,
// C_scale and C_zero_point, and numpy's broadcasting.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "octet/spec/quantized/parameters.h"

namespace octet {

struct BinaryLabels {
  ParameterLabels parameters;
  std::string_view broadcast;
};
void infer_quantized_binary(Inference& i, const BinaryLabels& labels);

struct BinaryQuantizations {
  Quantization a, b, c;
};
BinaryQuantizations quantized_operands(const Call& call);

// C = f(A, B) for every pair; all are int8 or all uint8.
void compute_quantized_binary(Call& call, const std::function<std::int32_t(std::int32_t a, std::int32_t b)>& f);

}  // namespace octet
