#include "octet/quantize/finite_range.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "octet/base/vectorize.h"

namespace octet {
namespace {

constexpr std::uint32_t kExponent = 0x7F800000;  // the bits of the exponent: all set in NaN and the infinities
constexpr std::size_t kLanes = 32;               // each with its own extremes, so that the compiler can use vectors

struct RangeLanes {
  std::array<float, kLanes> low, high;
  std::array<std::uint32_t, kLanes> largest_exponent = {};
};

RangeLanes observe(const float* values, std::size_t count) {
  RangeLanes lanes;
  lanes.low.fill(values[0]);
  lanes.high.fill(values[0]);
  const auto see = [&](std::size_t lane, float value) {
    lanes.low[lane] = value < lanes.low[lane] ? value : lanes.low[lane];
    lanes.high[lane] = value > lanes.high[lane] ? value : lanes.high[lane];
    const std::uint32_t exponent = std::bit_cast<std::uint32_t>(value) & kExponent;
    lanes.largest_exponent[lane] = std::max(lanes.largest_exponent[lane], exponent);
  };
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) see(lane, values[i + lane]);
  for (; i < count; ++i) see(0, values[i]);
  return lanes;
}

}  // namespace

std::optional<Range> finite_range(std::span<const float> values) {
  RangeLanes lanes;
  vectorized([result = &lanes, values] { *result = observe(values.data(), values.size()); });
  const std::uint32_t exponent = *std::max_element(lanes.largest_exponent.begin(), lanes.largest_exponent.end());
  if (exponent == kExponent) return std::nullopt;
  return Range{*std::min_element(lanes.low.begin(), lanes.low.end()),
               *std::max_element(lanes.high.begin(), lanes.high.end())};
}

}  // namespace octet
