// resample.h: which input elements make one output element of a resized axis, and with which weights.
//
// Coordinates are computed in float32, as ONNX Runtime does: output position o corresponds to input position x(o),
// with in and out the axis' sizes, s its scale and r = s * in, which is not an integer for every scale:
//
//   kHalfPixel             (o + 0.5) / s - 0.5
//   kHalfPixelSymmetric    in / 2 * (1 - out / r) + (o + 0.5) / s - 0.5
//   kPytorchHalfPixel      (o + 0.5) / s - 0.5, or 0 when out is 1
//   kAlignCorners          o * (in - 1) / (r - 1), or 0 when r is 1
//   kAsymmetric            o / s
//   kTfHalfPixelForNn      (o + 0.5) / s
//   kTfCropAndResize       start * (in - 1) + o * (end - start) * (in - 1) / (r - 1), or the middle when r is 1
#pragma once

#include <cstdint>
#include <vector>

namespace octet {

enum class Coordinates {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kTfHalfPixelForNn,
  kTfCropAndResize,
};

enum class Interpolation {
  kNearest,  // the element at x, rounded by the nearest rule
  kLinear,   // the two around x, by their distance; beyond the ends, the last one
  kCubic,    // the four around x, by Keys' cubic of parameter cubic_a; beyond the ends, the last one
};

enum class NearestRule {
  kRoundPreferFloor,
  kRoundPreferCeil,
  kFloor,
  kCeil,
  kFloorGrowingCeilShrinking,  // before opset 11
};

struct ResampleRule {
  Interpolation interpolation = Interpolation::kNearest;
  Coordinates coordinates = Coordinates::kAsymmetric;
  NearestRule nearest = NearestRule::kFloorGrowingCeilShrinking;
  bool antialias = false;        // stretches the linear or cubic kernel by 1 / scale when shrinking
  bool exclude_outside = false;  // elements beyond the ends weigh nothing, the others make up for it
  float cubic_a = -0.75F;
};

struct ResampledAxis {
  std::int64_t input, output;
  float scale;    // output / input, unless the scale was given
  float resized;  // r above: output, unless the scale was given
  float roi_start = 0, roi_end = 1;
};

// For each output element `count` neighbours: their indices, within the axis, and weights.
struct Neighbours {
  std::int64_t count = 0;
  std::vector<std::int64_t> indices;
  std::vector<float> weights;
  std::vector<char> outside;  // per output element: kTfCropAndResize looks beyond the input
};

// The input is not empty unless the output is.
Neighbours neighbours_of(const ResampledAxis& axis, const ResampleRule& rule);

}  // namespace octet
