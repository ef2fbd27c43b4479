// requantize.h: from an int32 accumulator, or a real number in units of the output scale, to the quantized output.
//
//   t = acc * M                              by arithmetic.product; float32 unless said otherwise
//   q = saturate(round(t) + z)               zero point after rounding, or
//   q = saturate(round(t + z))               before it; t + z is rounded to t's own type first
//
// Ties go by arithmetic.rounding: to even unless said otherwise. After rounding, t is clamped to [qmin - z, qmax - z]
// before it becomes an integer, as ONNX Runtime does, so that infinities saturate; NaN gives qmin.
#pragma once

#include <cstdint>

#include "octet/base/dtype.h"
#include "octet/spec/arithmetic.h"

namespace octet {

// The output side of a quantized operator.
struct QuantizedOutput {
  std::int32_t zero_point;
  IntegerRange range;
  ZeroPoint place;  // kBeforeRounding or kAfterRounding: what kAsOnnxRuntime means for this operator
};

inline QuantizedOutput resolve(QuantizedOutput output, const Arithmetic& arithmetic) {
  if (arithmetic.zero_point != ZeroPoint::kAsOnnxRuntime) output.place = arithmetic.zero_point;
  return output;
}

// Rounds and saturates t, a real number in units of the output scale. `output` has been resolved.
template <typename Real>
constexpr std::int32_t quantize_real(Real t, const QuantizedOutput& output, Rounding rounding) {
  const auto [qmin, qmax] = output.range;
  if (output.place == ZeroPoint::kBeforeRounding) t += static_cast<Real>(output.zero_point);
  const std::int64_t shift = output.place == ZeroPoint::kBeforeRounding ? 0 : output.zero_point;
  if (!(t > static_cast<Real>(qmin - shift))) return static_cast<std::int32_t>(qmin);  // NaN too
  if (t >= static_cast<Real>(qmax - shift)) return static_cast<std::int32_t>(qmax);
  return static_cast<std::int32_t>(round_by(rounding, t) + shift);
}

// A real multiplier as m * 2^-shift, m of `bits` bits, rounded to nearest, ties away: TFLite's QuantizeMultiplier.
struct FixedMultiplier {
  std::int64_t m;
  int shift;
};
FixedMultiplier fixed_multiplier(float multiplier, int bits);

// Requantizes accumulators of one channel.
class Requantizer {
 public:
  Requantizer(const Arithmetic& arithmetic, float multiplier, const QuantizedOutput& output);

  std::int32_t operator()(std::int32_t accumulator) const {
    if (product_ == Product::kFloat32)
      return quantize_real(static_cast<float>(accumulator) * multiplier_, output_, rounding_);
    if (product_ == Product::kFloat64)
      return quantize_real(static_cast<double>(accumulator) * static_cast<double>(multiplier_), output_, rounding_);
    return fixed_point(accumulator);
  }

 private:
  std::int32_t fixed_point(std::int32_t accumulator) const;

  Product product_;
  Rounding rounding_;
  float multiplier_;
  FixedMultiplier fixed_{};
  QuantizedOutput output_;
};

}  // namespace octet
