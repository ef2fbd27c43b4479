#include "octet/analyze/thresholds.h"

#include <bit>
#include <cstdint>

#include "octet/spec/quantized/quantize_linear.h"

namespace octet {
namespace {

// The float32 numbers from -infinity to infinity as integers in the same order; both zeros are 0.
constexpr std::int64_t kInfinity = 0x7F800000;

float float_at(std::int64_t place) {
  const float size = std::bit_cast<float>(static_cast<std::uint32_t>(place < 0 ? -place : place));
  return place < 0 ? -size : size;
}

}  // namespace

std::vector<float> quantize_thresholds(const Quantization& y, IntegerRange range) {
  std::vector<float> thresholds;
  std::int64_t below = -kInfinity;  // is below the next step; a division and its roundings are monotonic
  for (std::int64_t step = range.min + 1; step <= range.max; ++step) {
    std::int64_t above = kInfinity;
    while (above - below > 1) {
      const std::int64_t middle = below + (above - below) / 2;
      (quantize_linear(float_at(middle), y, range) >= step ? above : below) = middle;
    }
    thresholds.push_back(float_at(above));
  }
  return thresholds;
}

}  // namespace octet
