// float_products.h: sums of float products, many pixels and many channels at a time, and what happens to each result before
// it is stored.
//
// A sum begins at 0 and takes up its products in the order of conv.cc, gemm.cc and matmul.cc; a product and its addition round once,
// together, on every target. Vectors hold neighbouring channels, never neighbouring products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace octet::fast {

// r = f(r, operand) of each result, rounded once. The operand is a number for each channel, or the same element of another
// value.
struct FloatStage {
  enum class Operation { kAdd, kSubtract, kSubtractFrom, kMultiply, kDivide, kDivideInto, kLimit };
  Operation operation = Operation::kAdd;
  const float* numbers = nullptr;  // of the first channel, or
  bool one_for_all = false;        // the only one; or
  const float* other = nullptr;    // where the first element of y has its counterpart
  float low = 0, high = 0;         // of kLimit: less becomes low, then greater becomes high; NaN stays
};

// A product of each sum: from a pixel to what it reads, and from the first weights of a block to its own, in elements.
struct FloatTap {
  std::ptrdiff_t x = 0, w = 0;
};

// y[p, c] = stages of Sum over rounds and taps of x[p] * w[c]
struct FloatSums {
  const float* x = nullptr;
  std::span<const FloatTap> taps;  // of a round
  std::int64_t rounds = 0;
  std::ptrdiff_t x_step = 0, w_step = 0;  // from a round to the next
  const float* w = nullptr;               // blocks of channels
  std::ptrdiff_t block_step = 0;          // from the weights of a block to those of the next
  std::int64_t first = 0, channels = 0;   // the first channel, and how many: side by side in y
  float* y = nullptr;
  std::span<const FloatStage> stages;
};
// Where pixels are in x and y, in elements.
struct FloatPixels {
  const std::ptrdiff_t *x = nullptr, *y = nullptr;
  std::int64_t count = 0;
};

// y[p, c] = stages of what a window sees of a channel, x[p, c] at each tap.
struct FloatWindows {
  enum class Kind {
    kProducts,  // Sum x * w[c]
    kMaximum,   // the first, and what is greater than those before it; the lowest finite number where there is none
    kAverage,   // Sum x / divisor in float32
    kMean,      // Sum x / divisor in float32, the sum being plane_sum
  };
  Kind kind = Kind::kProducts;
  const float* x = nullptr;
  std::span<const FloatTap> taps;
  const float* w = nullptr;
  double divisor = 1;
  std::int64_t channels = 0;
  float* y = nullptr;
  std::span<const FloatStage> stages;
};

struct FloatProducts {
  std::int64_t lanes = 0;  // channels in a vector; a block has two vectors, or one where that is all
  void (*sums)(const FloatSums& sums, const FloatPixels& pixels) = nullptr;
  void (*windows)(const FloatWindows& windows, const FloatPixels& pixels) = nullptr;
  // y[r, c] = stages of x[r, c], rows side by side; x may be y.
  void (*elements)(const float* x, std::int64_t rows, std::int64_t channels, std::span<const FloatStage> stages,
                   float* y) = nullptr;
  // y = softmax_row(x) of so many elements; x may be y.
  void (*softmax)(const float* x, std::int64_t length, float* y) = nullptr;
};

}  // namespace octet::fast
