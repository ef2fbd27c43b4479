// step_kind.h: what kind of step an operator makes of a program.
#pragma once

#include <cstdint>
#include <string_view>

namespace octet {

enum class StepKind : std::uint8_t {
  kConvolution,
  kMatMul,  // Gemm too
  kAddition,
  kMultiplication,
  kPool,
  kConcatenation,
  kTable,       // one byte in, one byte out: 256 entries
  kMove,        // bytes change places, or the largest of them is chosen; none changes its meaning
  kSoftmax,     // on integers
  kQuantize,    // dynamically too
  kDequantize,  // one operation per element
  kFloat,       // a node that was not fused
  kOther,       // shapes, indices, truth values
};
inline constexpr int kStepKindCount = 13;
// "convolution", "matrix product", ...
std::string_view name(StepKind kind);
// Whether it goes from quantized integers to quantized integers. Inside, some compute in float (Step::in_float).
bool is_quantized(StepKind kind);

}  // namespace octet
