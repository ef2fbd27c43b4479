// parameters.h: from a range of real numbers to scale and zero point.
//
//   real = scale * (quantized - zero_point)
//
// The range is widened to contain 0, which must be exact. In float64: scale = (max - min) / (qmax - qmin) and
// zero_point = round_ties_even(qmin - min / scale) with the float64 scale, which is then rounded to float32. Symmetric:
// the range becomes [-a, a], a = max(|min|, |max|), and the zero point the middle, round_ties_even((qmin + qmax) / 2):
// 0 for signed types and 128 for uint8. A zero point restricted to the middle: the scale is the smallest that reaches
// both ends, max(max / (qmax - middle), -min / (middle - qmin)). A scale below the smallest normal float32 becomes 1 with
// zero point 0. This is what ONNX Runtime's quantizer (1.31) computes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "octet/base/dtype.h"

namespace octet {

struct Range {
  float min = 0, max = 0;
  bool operator==(const Range&) const = default;
};

Range widened(const Range& a, const Range& b);
bool is_finite(const Range& range);

// One scale and zero point, or one per channel along `axis`.
struct Parameters {
  DType dtype = DType::kUndefined;
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;
  std::optional<std::int64_t> axis;

  bool operator==(const Parameters&) const = default;
};

enum class ScaleForm {
  kReal,
  kPowerOfTwo,  // the smallest power of two that is not below the real scale: multipliers become shifts
};

// The smallest scale of that form that is not below `scale`.
double in_form(double scale, ScaleForm form);

enum class ZeroPointForm {
  kAny,
  kRestricted,  // the middle of the type, or its minimum for unsigned types and ranges without negative numbers
};

struct Encoding {
  DType dtype = DType::kInt8;
  bool symmetric = false;
  bool reduced = false;  // one bit less: products can't saturate 16-bit pairs
  ScaleForm scale_form = ScaleForm::kReal;
  ZeroPointForm zero_point_form = ZeroPointForm::kAny;
};

// The integers an encoding uses: [-127, 127] for symmetric int8, [-64, 64] and [0, 127] when reduced.
IntegerRange used_integers(const Encoding& encoding);

struct ScaleAndZeroPoint {
  float scale;
  std::int32_t zero_point;
};
// The range must be finite with min <= max.
ScaleAndZeroPoint choose(const Range& range, const Encoding& encoding);

}  // namespace octet
