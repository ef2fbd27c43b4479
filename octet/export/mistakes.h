// mistakes.h: what is often got wrong in hardware and firmware, as functions that can be computed and compared.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "octet/integer/integer_program.h"
#include "octet/spec/interval.h"

namespace octet {

// A mistake in what a step computes from two numbers: a channel and its accumulator, or two bytes.
struct Mistake {
  std::string_view name;
  std::function<std::int32_t(std::int64_t, std::int64_t)> result;
};

// What a mistake of that name does.
std::string_view meaning_of_mistake(std::string_view name);

// Channels of a sum, requantized.
struct RequantizedChannels {
  std::vector<IntegerRequantizer> channels;  // one for all, or one for each
  std::vector<Interval> reach;               // likewise
  std::vector<std::int64_t> starts;          // of the sums, likewise
  std::vector<float> multipliers;            // by which float32 requantizes; likewise
  std::int32_t zero_point = 0;
  DType type = DType::kUndefined;  // of the result

  // The clamps that follow.
  std::function<std::int32_t(std::int32_t)> behind;
  IntegerRange range;  // of the requantized, less what these take away
  bool clamped = false;

  std::int32_t operator()(std::int64_t channel, std::int64_t acc) const;
};
std::vector<Mistake> mistakes_of(const RequantizedChannels& layer);

// Two bytes become one.
struct PairedBytes {
  integer::Pair pair;
  Quantization a, b, y;
  IntegerRange range;  // of a, b and y
  bool swapped = false;
  std::function<std::int32_t(std::int32_t)> behind;

  std::int32_t operator()(std::int64_t a_byte, std::int64_t b_byte) const;
};
std::vector<Mistake> mistakes_of(const PairedBytes& layer);

}  // namespace octet
