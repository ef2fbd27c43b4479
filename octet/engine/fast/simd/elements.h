// elements.h: what happens to each element alone, and moves of many of them.
//
// Bytes are uint8 or int8 by `is_signed`; each function equals its operator's definition in spec/ for every input, NaN
// and infinities included. Vectors may be empty. Sources and targets do not overlap unless they are the same pointer.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "octet/spec/quantized/lookup_table.h"
#include "octet/spec/quantized/parameters.h"

namespace octet::fast {

// What a result saturates to: the range of its type, or the part of it that clamps behind the operator leave.
struct Bounds {
  std::int32_t low = 0, high = 255;

  bool operator==(const Bounds&) const = default;
};

// The constants of QLinearAdd in ONNX Runtime's order for AVX2 (qlinear_add.h, kAvx2):
//   t = fma(a, ratio_a, fma(b, ratio_b, fixed)); y = saturate(round(t)), 2^31 and above and NaN give the least
struct AddConstants {
  float ratio_a = 0, ratio_b = 0, fixed = 0;
  Bounds bounds;
  bool is_signed = false;
};
// QLinearMul: t = f32((a - zero_a) * (b - zero_b)) * multiplier + zero_y, rounded as there.
struct MultiplyConstants {
  std::int32_t zero_a = 0, zero_b = 0, zero_y = 0;
  float multiplier = 0;
  Bounds bounds;
  bool is_signed = false;
};

// What is less than low becomes low, what is greater than high becomes high; NaN stays NaN.
struct Limits {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
};

// `rows` times `columns` elements, rows `step` elements from one another.
struct SumMatrix {
  const std::int32_t* sums = nullptr;
  std::int64_t step = 0, rows = 0, columns = 0;
};

// Bytes of some pixels of an image, by their numbers; those of a pixel are `step` from those of the next one in the image.
struct Pixels {
  const std::uint8_t* image = nullptr;
  std::int64_t step = 0;
  std::span<const std::int64_t> numbers;
};

// y = saturate(round_ties_even(f32(sum) * multiplier) + zero_point): requantize.h
struct Requantization {
  const float* multipliers = nullptr;  // one for each channel
  std::int32_t zero_point = 0;
  Bounds bounds;
};

struct Elements {
  // QuantizeLinear and DequantizeLinear with one scale.
  void (*quantize)(const float* x, std::int64_t count, Quantization q, Bounds bounds, std::uint8_t* y);
  void (*dequantize)(const std::uint8_t* x, std::int64_t count, Quantization q, bool is_signed, float* y);
  // The least and the greatest element and 0, as dynamic_quantize_linear.h takes them.
  void (*range)(const float* x, std::int64_t count, float* least, float* greatest);
  void (*add)(const std::uint8_t* a, const std::uint8_t* b, std::int64_t count, const AddConstants& constants,
              std::uint8_t* y);
  void (*multiply)(const std::uint8_t* a, const std::uint8_t* b, std::int64_t count, const MultiplyConstants& constants,
                   std::uint8_t* y);
  // The bounds are within the type.
  void (*clamp)(const std::uint8_t* x, std::int64_t count, Bounds bounds, bool is_signed, std::uint8_t* y);
  void (*look_up)(const LookupTable& table, const std::uint8_t* x, std::int64_t count, std::uint8_t* y);
  // y[k] = max(x[k], y[k])
  void (*maximum)(const std::uint8_t* x, std::int64_t count, bool is_signed, std::uint8_t* y);
  // The sum of all elements.
  std::int64_t (*sum)(const std::uint8_t* x, std::int64_t count, bool is_signed);
  // sums[k] = Sum over pixels of x[pixel, k] - zero_point, in int32 that wraps
  void (*add_up)(const Pixels& x, std::int64_t count, std::int32_t zero_point, bool is_signed, std::int32_t* sums);
  // sums[k] = 0 + Sum over pixels of f32(x[pixel, k] - zero_point) * scale, each operation rounded
  void (*add_up_floats)(const Pixels& x, std::int64_t count, Quantization q, bool is_signed, float* sums);
  // y[k] = saturate(round_ties_even(sums[k] / f32(pixels) / scale + zero_point)), 2^31 and above give the least:
  // qlinear_average_pool.h
  void (*average)(const float* sums, std::int64_t count, std::int64_t pixels, Quantization q, Bounds bounds,
                  std::uint8_t* y);
  // y[r, k] = saturate(round_ties_even(f32(sums[r, k]) * multipliers[k]) + zero_point): requantize.h
  void (*requantize)(const SumMatrix& sums, const float* multipliers, std::int32_t zero_point, Bounds bounds,
                     std::uint8_t* y, std::int64_t y_step);
  // y[r, k] = f32(sums[r, k]) * (scale * multipliers[k]) (+ bias[k], unless null), each operation rounded, within limits
  void (*to_float)(const SumMatrix& sums, const float* multipliers, float scale, const float* bias, Limits limits,
                   float* y, std::int64_t y_step);
  // y[c * y_step + r] = x[r * x_step + c], of elements of 1 or 4 bytes
  void (*transpose8)(const std::uint8_t* x, std::int64_t x_step, std::int64_t rows, std::int64_t columns,
                     std::uint8_t* y, std::int64_t y_step);
  void (*transpose32)(const std::uint32_t* x, std::int64_t x_step, std::int64_t rows, std::int64_t columns,
                      std::uint32_t* y, std::int64_t y_step);
};

}  // namespace octet::fast
