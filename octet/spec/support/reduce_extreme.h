// reduce_extreme.h: the greatest or least element, under ReduceMax and ReduceMin.
//
// NaN wins over every number. Of equal elements, which only zeros can be and differ, the first counts.
#pragma once

#include "octet/spec/support/reduce.h"

namespace octet {

// The extreme of a row of adjacent elements, in many lanes.
template <typename T, typename Step>
T extreme_of_row(const T* x, std::int64_t length, T nothing, Step step) {
  constexpr std::int64_t kLanes = 32;
  T lanes[kLanes];
  std::fill_n(lanes, kLanes, nothing);
  const std::int64_t whole = length / kLanes * kLanes;
  for (std::int64_t k = 0; k < whole; k += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] = step(lanes[lane], x[k + lane]);
  T best = nothing;
  for (const T lane : lanes) best = step(best, lane);
  for (std::int64_t k = whole; k < length; ++k) best = step(best, x[k]);
  return best == T(0) ? *std::find(x, x + length, T(0)) : best;
}

// `nothing` is the extreme of no elements; better(value, best) is false for equals and NaN.
template <typename T, typename Better>
void reduce_to_extreme(Call& call, T nothing, Better better) {
  const auto step = [=](T best, T value) { return better(value, best) || value != value ? value : best; };
  const ReduceLayout layout(call, kAxesInput);
  const T* x = call.input(0).as<T>().data();
  T* y = call.output(0).mutable_as<T>().data();
  for_each_output_block(call, layout, [&](std::int64_t begin, std::int64_t end) {
    if (layout.elements() < 32 || !layout.is_of_rows())
      return fold_outputs<T>(layout, x, begin, end, y + begin, nothing, step, [](T best) { return best; });
    vectorized_float<T>([=, length = layout.elements()] {
      for (std::int64_t row = begin; row < end; ++row) y[row] = extreme_of_row(x + row * length, length, nothing, step);
    });
  });
}

}  // namespace octet
