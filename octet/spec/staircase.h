// staircase.h: requantization as a function of the accumulator: on which ones its result changes, and to what.
//
// f32(acc) * M never falls as acc grows if M > 0, never rises if M < 0, and neither do rounding, the zero point and
// saturation change that. So 8 bits of result have at most 256 steps, whatever the accumulators are, and two
// requantizations are equal exactly if their steps are. Equation (17) of docs/quantization/derivation.md.
#pragma once

#include <cstdint>
#include <vector>

#include "octet/spec/interval.h"
#include "octet/spec/requantize.h"

namespace octet {

struct StairStep {
  std::int64_t first;  // accumulator on it
  std::int32_t value;

  bool operator==(const StairStep&) const = default;
};

// Every accumulator of an interval has a value; there is one Staircase for each function.
struct Staircase {
  std::vector<StairStep> steps;  // by accumulator; the first one begins at the least; neighbours differ in their value
  std::int64_t greatest = 0;     // accumulator on the last step

  Interval reach() const { return {steps.front().first, greatest}; }
  std::int64_t last(std::size_t step) const { return step + 1 < steps.size() ? steps[step + 1].first - 1 : greatest; }
  std::int32_t operator()(std::int64_t accumulator) const;
  bool operator==(const Staircase&) const = default;
};

// The staircase of any function of an accumulator, which is called once for each.
template <typename F>
Staircase every_step(const Interval& reach, const F& value_at) {
  Staircase stairs{{{reach.least, value_at(reach.least)}}, reach.greatest};
  for (std::int64_t accumulator = reach.least + 1; accumulator <= reach.greatest; ++accumulator)
    if (const std::int32_t value = value_at(accumulator); value != stairs.steps.back().value)
      stairs.steps.push_back({accumulator, value});
  return stairs;
}

// The staircase of a monotonic function. Most steps are about as wide as the one before, so its end is looked
// for from there, two or three calls for each.
template <typename F>
Staircase monotone_steps(const Interval& reach, const F& value_at) {
  StairStep step{reach.least, value_at(reach.least)};
  Staircase stairs{{step}, reach.greatest};
  const std::int32_t end = value_at(reach.greatest);
  for (std::int64_t width = 1; step.value != end;) {
    std::int64_t on = step.first, beyond = reach.greatest;  // the end lies between them
    const auto is_on = [&](std::int64_t accumulator) {
      const bool same = value_at(accumulator) == step.value;
      (same ? on : beyond) = accumulator;
      return same;
    };
    std::int64_t stride = 1;
    if (step.first + width < beyond) {
      if (is_on(step.first + width))
        for (; stride < beyond - on && is_on(on + stride); stride *= 2) continue;
      else
        for (; stride < beyond - on && !is_on(beyond - stride); stride *= 2) continue;
    }
    while (beyond - on > 1) is_on(on + (beyond - on) / 2);
    width = beyond - step.first;
    step = {beyond, value_at(beyond)};
    stairs.steps.push_back(step);
  }
  return stairs;
}

// A channel's requantization by float32, the zero point after rounding.
struct Requantization {
  float multiplier = 1;
  std::int32_t zero_point = 0;
  IntegerRange range{-128, 127};
};
Staircase staircase(const Requantization& channel, const Interval& reach);

// The staircase of a requantizer that neither draws its rounding nor converts before it saturates. The accumulators fit
// int32.
Staircase staircase(const Requantizer& requantize, const Interval& reach);

// The accumulators of their common interval at which two of them differ.
std::int64_t differing(const Staircase& a, const Staircase& b);

}  // namespace octet
