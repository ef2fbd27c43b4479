// requantize.h: from an int32 accumulator, or a real number in units of the output scale, to the quantized output.
//
//   t = acc * M                              by arithmetic.product; float32 unless said otherwise
//   q = saturate(round(t) + z)               zero point after rounding, or
//   q = saturate(round(t + z))               before it; t + z is rounded to t's own type first
//
// Equations (12) to (16) of docs/quantization/derivation.md.
//
// M is first brought into arithmetic.multiplier_form. Ties go by arithmetic.rounding: to even unless said otherwise;
// stochastic rounding is floor(t + u), t in float64. Saturation happens in the real domain, as in ONNX
// Runtime: what lies outside [qmin, qmax] goes to its nearer end before it becomes an integer, so infinities saturate.
// NaN gives qmin.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "octet/base/dtype.h"
#include "octet/base/vectorize.h"
#include "octet/spec/arithmetic.h"

namespace octet {

// The output side of a quantized operator.
struct QuantizedOutput {
  std::int32_t zero_point;
  IntegerRange range;
  ZeroPoint place;  // kBeforeRounding or kAfterRounding: what kAsOnnxRuntime means for this operator
  // Where ONNX Runtime converts to int32 before it saturates: x86 makes INT32_MIN of NaN and of what int32 can't hold,
  // and adding a zero point after that wraps. With the zero point before rounding, 2^31 and above give qmin.
  bool converts_first = false;
};

inline QuantizedOutput resolve(QuantizedOutput output, const Arithmetic& arithmetic) {
  const bool as_onnx_runtime = arithmetic.zero_point == ZeroPoint::kAsOnnxRuntime;
  if (!as_onnx_runtime) output.place = arithmetic.zero_point;
  if (!as_onnx_runtime || arithmetic.product != Product::kFloat32) output.converts_first = false;
  return output;
}

// Rounds and saturates t, a real number in units of the output scale. `output` has been resolved.
template <typename Real>
constexpr std::int32_t quantize_real(Real t, const QuantizedOutput& output, Rounding rounding) {
  const auto [qmin, qmax] = output.range;
  const bool before = output.place == ZeroPoint::kBeforeRounding;
  if (before) t += static_cast<Real>(output.zero_point);
  const std::int64_t shift = before ? 0 : output.zero_point;
  if (output.converts_first) {
    const bool fits = t > Real(-2147483648.0) && t < Real(2147483648.0);
    const std::int64_t whole = fits ? round_by(rounding, t) : std::numeric_limits<std::int32_t>::min();
    const auto wrapped = static_cast<std::int32_t>(static_cast<std::uint32_t>(whole + shift));
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(wrapped, qmin, qmax));
  }
  if (!(t > static_cast<Real>(qmin - shift))) return static_cast<std::int32_t>(qmin);  // NaN too
  if (t >= static_cast<Real>(qmax - shift)) return static_cast<std::int32_t>(qmax);
  return static_cast<std::int32_t>(round_by(rounding, t) + shift);
}

// quantize_real for what is by far the most common: float32, ties to even, no conversion first. Without branches, so
// that loops of it become vector instructions. `output` has been resolved.
class PlainQuantizer {
 public:
  explicit PlainQuantizer(const QuantizedOutput& output)
      : before_(output.place == ZeroPoint::kBeforeRounding ? static_cast<float>(output.zero_point) : 0.0F),
        after_(output.place == ZeroPoint::kBeforeRounding ? 0 : output.zero_point),
        low_(static_cast<float>(output.range.min - after_)),
        high_(static_cast<float>(output.range.max - after_)) {}

  std::int32_t operator()(float t) const {
    t += before_;
    t = t > low_ ? t : low_;
    t = t < high_ ? t : high_;
    return round_small_ties_even(t) + after_;
  }

 private:
  float before_;  // the zero point, or 0
  std::int32_t after_;
  float low_, high_;
};

// What is left of a multiplier that is stored in a form.
float stored_multiplier(float multiplier, MultiplierForm form);

// m / 2^shift.
struct FixedMultiplier {
  std::int64_t m = 0;
  int shift = 0;

  // The width of the magnitude of m.
  int bits() const { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(m < 0 ? -m : m))); }
};
// A real multiplier with 2^(bits-1) <= |m| < 2^bits, rounded to nearest, ties away: TFLite's QuantizeMultiplier.
// 0, infinities and NaN have no such form and become 0.
FixedMultiplier fixed_multiplier(double multiplier, int bits);

// value * by, plus `added`, as an integer:
//   kFixedSingle  round((value * m + added * 2^shift) / 2^shift), one rounding by arithmetic.rounding
//   kFixedDouble  gemmlowp's: h = round_ties_up(value * 2^left * m / 2^31), m widened to 31 bits, the shifted value
//                 saturated to int32; then round_ties_away((h + added * 2^right) / 2^right)
std::int64_t fixed_product(std::int32_t value, const FixedMultiplier& by, std::int32_t added,
                           const Arithmetic& arithmetic);

// Requantizes accumulators of one channel. `element` says which one of a sample it is; it matters to stochastic rounding
// alone.
class Requantizer {
 public:
  Requantizer(const Arithmetic& arithmetic, float multiplier, const QuantizedOutput& output);

  std::int32_t operator()(std::int32_t accumulator, std::int64_t element = 0) const {
    return plain_ ? quantizer_(static_cast<float>(accumulator) * multiplier_) : general(accumulator, element);
  }

  // to[k] = (*this)(from[k], first + k)
  template <typename T>
  void requantize(std::span<const std::int32_t> from, std::int64_t first, T* to) const {
    if (!plain_) {
      for (const std::int32_t accumulator : from) *to++ = static_cast<T>(general(accumulator, first++));
      return;
    }
    vectorized([from, to, quantizer = quantizer_, multiplier = multiplier_] {
      for (std::size_t k = 0; k < from.size(); ++k)
        to[k] = static_cast<T>(quantizer(static_cast<float>(from[k]) * multiplier));
    });
  }

 private:
  std::int32_t general(std::int32_t accumulator, std::int64_t element) const;

  Arithmetic arithmetic_;
  float multiplier_;
  FixedMultiplier fixed_{};
  QuantizedOutput output_;
  bool plain_;  // a float32 product, and quantizer_ serves
  PlainQuantizer quantizer_;
};

}  // namespace octet
