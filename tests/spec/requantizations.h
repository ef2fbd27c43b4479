// requantizations.h: multipliers, zero points and accumulators that tests of requantization try.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "octet/spec/interval.h"
#include "octet/spec/requantize.h"

namespace octet {

struct RequantizationCase {
  float multiplier;
  QuantizedOutput output;
  Interval reach;

  Requantizer requantizer() const { return {Arithmetic(), multiplier, output}; }
};

inline std::string case_text(const RequantizationCase& some) {
  return "multiplier " + std::to_string(some.multiplier) + " zero point " + std::to_string(some.output.zero_point) +
         " range from " + std::to_string(some.output.range.min) + " accumulators from " +
         std::to_string(some.reach.least) + " to " + std::to_string(some.reach.greatest);
}

// Every kind of multiplier: of both signs, with ties and without, none, denormal, huge, infinite, NaN.
inline std::vector<float> odd_multipliers() {
  std::vector<float> found;
  for (const float size : {0.0F,
                           0x1p-149F,
                           1e-39F,
                           1e-20F,
                           0x1p-24F,
                           3.1e-5F,
                           0.00123F,
                           0.0071F,
                           0.033333F,
                           0.25F,
                           0.3F,
                           0.5F,
                           0.9999999F,
                           1.0F,
                           1.7F,
                           2.5F,
                           77.0F,
                           1e9F,
                           1e30F,
                           0x1.fffffep127F,
                           std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::quiet_NaN()})
    found.insert(found.end(), {size, -size});
  std::mt19937 random(17);
  for (int k = 0; k < 30; ++k)
    found.push_back(
        std::ldexp(1.0F + static_cast<float>(random() % (1 << 23)) * 0x1p-23F, -1 - static_cast<int>(random() % 14)));
  return found;
}

// Each of them, with zero points at the ends of both types and inside, before and after rounding.
inline std::vector<RequantizationCase> requantization_cases(const std::vector<Interval>& reaches) {
  std::vector<RequantizationCase> found;
  int turn = 0;
  for (const float multiplier : odd_multipliers())
    for (const Interval& reach : reaches)
      for (const auto& [range, zero_points] : {std::pair{IntegerRange{-128, 127}, std::array{-128, 7, 127}},
                                               std::pair{IntegerRange{0, 255}, std::array{0, 101, 255}}})
        for (const std::int32_t zero_point : zero_points) {
          const ZeroPoint place = ++turn % 4 == 0 ? ZeroPoint::kBeforeRounding : ZeroPoint::kAfterRounding;
          found.push_back({multiplier, {zero_point, range, place}, reach});
        }
  return found;
}

}  // namespace octet
