#include "octet/spec/support/resample.h"

#include <algorithm>
#include <cmath>

namespace octet {
namespace {

float coordinate(std::int64_t output, const ResampledAxis& axis, Coordinates coordinates) {
  const auto o = static_cast<float>(output), last = static_cast<float>(axis.input - 1);
  const float half_pixel = (o + 0.5F) / axis.scale - 0.5F;
  switch (coordinates) {
    case Coordinates::kHalfPixel: return half_pixel;
    case Coordinates::kHalfPixelSymmetric: {
      const float adjustment = static_cast<float>(axis.output) / axis.resized;
      const float offset = static_cast<float>(axis.input) / 2 * (1 - adjustment);
      return offset + (o + 0.5F) / axis.scale - 0.5F;
    }
    case Coordinates::kPytorchHalfPixel: return axis.output > 1 ? half_pixel : 0;
    case Coordinates::kAlignCorners: return axis.resized == 1 ? 0 : o * last / (axis.resized - 1);
    case Coordinates::kAsymmetric: return o / axis.scale;
    case Coordinates::kTfHalfPixelForNn: return (o + 0.5F) / axis.scale;
    case Coordinates::kTfCropAndResize:
      if (axis.resized == 1) return 0.5F * (axis.roi_start + axis.roi_end) * last;
      return axis.roi_start * last + o * (axis.roi_end - axis.roi_start) * last / (axis.resized - 1);
  }
  return 0;
}

// Within 1e-6 of a half counts as a half, as ONNX Runtime has it: o / s is not exact.
float nearest(float x, NearestRule rule, bool shrinking) {
  const float below = std::floor(x), above_half = x - below - 0.5F;
  const bool half = std::abs(above_half) < 1e-6F;
  switch (rule) {
    case NearestRule::kRoundPreferFloor: return half || above_half < 0 ? below : below + 1;
    case NearestRule::kRoundPreferCeil: return half || above_half > 0 ? below + 1 : below;
    case NearestRule::kFloor: return below;
    case NearestRule::kCeil: return std::ceil(x);
    case NearestRule::kFloorGrowingCeilShrinking: return shrinking ? std::ceil(x) : below;
  }
  return 0;
}

// Keys' cubic convolution kernel.
double cubic(double x, double a) {
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// The weights of a linear or cubic kernel around x, normalized where it was stretched or cut.
class Kernel {
 public:
  Kernel(const ResampledAxis& axis, const ResampleRule& rule)
      : rule_(rule),
        input_(axis.input),
        stretch_(rule.antialias ? std::min(1.0, static_cast<double>(axis.scale)) : 1.0),
        before_(static_cast<std::int64_t>(std::floor(-radius() / stretch_)) + 1) {}

  // Neighbours lie before_ .. 1 - before_ from the element left of x.
  std::int64_t count() const { return 2 - 2 * before_; }

  void append(float x, Neighbours& to) const {
    const auto left = static_cast<std::int64_t>(std::ceil(x)) - 1;
    const double fraction = static_cast<double>(x) - static_cast<double>(left);  // in (0, 1]
    const std::size_t first = to.weights.size();
    double sum = 0;
    for (std::int64_t k = before_; k <= 1 - before_; ++k) {
      const bool outside = left + k < 0 || left + k >= input_;
      const double weight = outside && rule_.exclude_outside ? 0 : at(stretch_ * (static_cast<double>(k) - fraction));
      to.indices.push_back(std::clamp<std::int64_t>(left + k, 0, input_ - 1));
      to.weights.push_back(static_cast<float>(weight));
      sum += weight;
    }
    if ((!rule_.exclude_outside && stretch_ == 1) || sum == 0) return;
    for (std::size_t k = first; k < to.weights.size(); ++k)
      to.weights[k] = static_cast<float>(static_cast<double>(to.weights[k]) / sum);
  }

 private:
  double radius() const { return rule_.interpolation == Interpolation::kCubic ? 2 : 1; }
  double at(double distance) const {
    if (rule_.interpolation == Interpolation::kCubic) return cubic(distance, static_cast<double>(rule_.cubic_a));
    return std::max(0.0, 1 - std::abs(distance));
  }

  const ResampleRule& rule_;
  std::int64_t input_;
  double stretch_;
  std::int64_t before_;
};

// The two neighbours in ONNX Runtime's own float32 steps, which decide how integers truncate.
void append_linear(float x, std::int64_t input, Neighbours& to) {
  const float inside = std::clamp(x, 0.0F, static_cast<float>(input - 1));
  const std::int64_t left = std::min(static_cast<std::int64_t>(inside), input - 1),
                     right = std::min(left + 1, input - 1);
  to.indices.insert(to.indices.end(), {left, right});
  if (left == right)
    to.weights.insert(to.weights.end(), {0.5F, 0.5F});
  else
    to.weights.insert(to.weights.end(), {static_cast<float>(right) - inside, inside - static_cast<float>(left)});
}

}  // namespace

Neighbours neighbours_of(const ResampledAxis& axis, const ResampleRule& rule) {
  Neighbours result;
  if (axis.output == 0) return result;
  const Kernel kernel(axis, rule);
  const bool simple = rule.interpolation == Interpolation::kLinear && !rule.antialias;
  result.count = rule.interpolation == Interpolation::kNearest ? 1 : simple ? 2 : kernel.count();
  for (std::int64_t o = 0; o < axis.output; ++o) {
    float x = coordinate(o, axis, rule.coordinates);
    const bool inside = x >= 0 && x <= static_cast<float>(axis.input - 1);  // false for NaN, too
    const bool outside = rule.coordinates == Coordinates::kTfCropAndResize && !inside;
    result.outside.push_back(static_cast<char>(outside));
    if (outside) x = 0;  // whatever it is, it is not used
    if (rule.interpolation == Interpolation::kNearest) {
      const float position = nearest(x, rule.nearest, axis.scale < 1);
      result.indices.push_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(position), 0, axis.input - 1));
      result.weights.push_back(1);
    } else if (simple) {
      append_linear(x, axis.input, result);
    } else {
      kernel.append(x, result);
    }
  }
  return result;
}

}  // namespace octet
