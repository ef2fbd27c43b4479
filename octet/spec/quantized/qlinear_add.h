// qlinear_add.h: the meaning of com.microsoft QLinearAdd.
//
//   C = A_scale * (A - A_zero_point) + B_scale * (B - B_zero_point), in units of C_scale, plus C_zero_point
//
// Equations (19) and, for kAvx2, (20) of docs/quantization/derivation.md;
// with numpy's broadcasting. ONNX Runtime has an order of operations per instruction set, each float32 operation
// rounded:
//
//   kAvx2      MA = A_scale / C_scale, MB = B_scale / C_scale
//              f = zC - fma(MA, zA, MB * zB)
//              t = fma(a, MA, fma(b, MB, f)); C = saturate(round(t))           zero point before rounding
//              The fma in f is its compiler's; another may give zC - (MA * zA + MB * zB).
//   kSse2      the same without fma, a first: f = zC - (MA * zA + MB * zB); t = (f + a * MA) + b * MB
//   kPortable  v = (A_scale * (a - zA) + B_scale * (b - zB)) / C_scale; C = saturate(round(v + zC))
//   kArm       shift = 21 - exponent(max(MA, MB)); mA = round_ties_even(MA * 2^shift), mB likewise;
//              C = saturate(round_ties_away(((a - zA) * mA + (b - zB) * mB) / 2^shift) + zC); kPortable where MA or MB
//              lies outside [2^-14, 2^8), the larger is below 2^-10, or mA or mB rounds up to 2^22
//
// kAvx2 and kSse2 convert without saturating: t >= 2^31 becomes qmin. In kAvx2 and kSse2, where A stands still along
// the innermost run of the broadcast, A and B change places throughout (qlinear_add_swaps). kAfterRounding leaves zC
// out of the sum; rounding replaces ties to even, not kArm's own.
//
// Other products than float32 have their own order: kFloat64 computes kPortable in float64; the fixed-point ones are
// TFLite's: with s = 2 * max(A_scale, B_scale) and x * M the fixed-point product of requantize.h,
//   sum = ((a - zA) * 2^20) * (A_scale / s) + ((b - zB) * 2^20) * (B_scale / s)
//   C = saturate(sum * (s / (2^20 * C_scale)) + zC)
//
// MA and MB are multipliers: they are brought into arithmetic.multiplier_form; kPortable and kFloat64 have none.
// Stochastic rounding takes MA * (a - zA) + MB * (b - zB) in float64, whatever the order.
//
//   qlinear_add_c1  A, B and C are all int8 or all uint8, so are the zero points; the scales are float32.
//   qlinear_add_c2  each scale and zero point has one element.
//   qlinear_add_c3  A and B broadcast.
#pragma once

#include "octet/spec/quantized/quantized_binary.h"

namespace octet {

// What kAvx2 and kSse2 add, MA, MB and MA * zA + MB * zB, with the operands in the order given.
struct FoldedAddition {
  float ratio_a, ratio_b, zeros;
};
FoldedAddition fold_addition(const Quantization& a, const Quantization& b, const Quantization& c,
                             const Arithmetic& arithmetic);

// The sum of one pair, with the operands in the order given.
QuantizedBinary qlinear_add(const Quantization& a, const Quantization& b, const Quantization& c, IntegerRange range,
                            const Arithmetic& arithmetic);

// Whether ONNX Runtime exchanges A and B: of the dimensions both have, take the innermost that is not 1 in both, or the
// outermost if all are; A's is 1. A scalar counts as [1].
bool qlinear_add_swaps(Shape a, Shape b);

}  // namespace octet
