// quantized_binary.h: what QLinearAdd and QLinearMul share: inputs A, A_scale, A_zero_point, B, B_scale, B_zero_point,
// C_scale and C_zero_point, and numpy's broadcasting.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

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

// The result of one pair; `element` says which one of a sample it is, and matters to stochastic rounding alone.
class QuantizedBinary {
 public:
  using Function = std::function<std::int32_t(std::int32_t a, std::int32_t b, std::int64_t element)>;

  template <typename F>
  QuantizedBinary(F f) : f_(std::move(f)) {}  // NOLINT(google-explicit-constructor): a function is one
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int64_t element = 0) const { return f_(a, b, element); }

 private:
  Function f_;
};

// C = f(A, B) for every pair; all are int8 or all uint8.
void compute_quantized_binary(Call& call, const QuantizedBinary& f);

}  // namespace octet
