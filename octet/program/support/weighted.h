// weighted.h: what Conv, MatMul and Gemm have in common, whether their sums are requantized or scaled to float. Each throws
// NotFused.
#pragma once

#include "octet/program/support/patterns.h"

namespace octet {

// The pairs of types that ONNX Runtime has kernels for.
void require_kernel(const Operand& x, const Operand& w);
// No sum of products overflows or loses digits; without a result, its float is wanted.
void require_sums_in_float(Policy policy, const Operand& x, const Operand& w, float alpha, const Result* result);
// The result has x's type, which is what kernels write.
void require_result_type(Policy policy, const Operand& x, const Result& result);
// Which of the weights' axes has their channels.
void require_channel_axis(const Draft& draft, const Operand& w, std::int64_t axis);
// B of a matrix product: per tensor, or per column of a matrix.
Operand columns_operand(Draft& draft, const Node& node, std::int64_t axis, Scales scales = Scales::kFinite);
// The float bias of a node, [channels]; empty without one. Of integers, what DequantizeLinear makes of them, which joins the
// operands.
Tensor float_bias(Draft& draft, const Node& node, std::int64_t channels, std::vector<Operand>& operands);
// A constant: one for all channels, or [channels, 1, ...] beside [N, channels, ...] of a rank; [channels] where it is 0.
std::string channel_constant(Draft& draft, const std::string& wish, const std::vector<float>& values, std::size_t rank);
// Each QuantizeLinear that reads the value, perhaps behind a Relu or Clip.
std::vector<Result> results_of(Draft& draft, const std::string& value);

// Whether an operand has 16 bits.
bool has_wide_operand(Draft& draft, const Node& node);
// Such a node, as sums of bytes that are joined.
void fuse_wide_sum(Draft& draft, std::size_t index);

// QGemm up to the bias; what the result is comes behind, if it is not wanted in float.
Fused begin_gemm(Draft& draft, Policy policy, const Node& node, const Result* result);

}  // namespace octet
