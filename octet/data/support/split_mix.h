// split_mix.h: random numbers, the same on every machine.
#pragma once

#include <cstdint>

namespace octet {

// Steele, Lea and Flood's splitmix64.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  // From 0 to count - 1, by the upper 32 bits; count is at most 2^32.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>((next() >> 32) * static_cast<std::uint64_t>(count) >> 32);
  }
  // In [-1, 1), in steps of 2^-23.
  float unit() { return static_cast<float>(next() >> 40) * 0x1p-23F - 1; }

 private:
  std::uint64_t state_;
};

}  // namespace octet
