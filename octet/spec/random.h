// random.h: random numbers that are counted, not generated in turn: the same keys give the same number, whatever the order
// of work, the threads or the machine.
//
//   mix      SplitMix64's finalizer: every bit of the result depends on every bit of the argument
//   uniform  the upper 53 bits of the mixed keys, over 2^53: [0, 1)
//   normal   the sum of twelve uniform numbers less 6: mean 0, deviation 1, and no logarithm or cosine that differs
//            between libraries; it ends at +-6
#pragma once

#include <cstdint>
#include <initializer_list>

namespace octet {

constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

constexpr std::uint64_t mix(std::initializer_list<std::uint64_t> keys) {
  std::uint64_t state = 0;
  for (const std::uint64_t key : keys) state = mix(state ^ key);
  return state;
}

constexpr double uniform(std::uint64_t mixed) { return static_cast<double>(mixed >> 11) * 0x1p-53; }

constexpr double normal(std::uint64_t mixed) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += uniform(mixed = mix(mixed));
  return sum;
}

}  // namespace octet
