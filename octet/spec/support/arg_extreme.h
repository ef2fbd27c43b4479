// arg_extreme.h: what ArgMax and ArgMin share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "octet/base/vectorize.h"
#include "octet/base/visit.h"
#include "octet/spec/axes.h"
#include "octet/spec/operator.h"

namespace octet {

// The output is int64; keepdims leaves the axis with dimension 1. Throws kConstraint with `type_label` unless the input
// holds numbers, and with `axis_label` for an axis that it does not have or that is empty.
void infer_arg_extreme(Inference& i, std::string_view type_label, std::string_view axis_label);

// The extreme's index in a row of adjacent elements: in many lanes, NaN being passed over unless it comes first.
template <typename T, typename F>
std::int64_t arg_extreme_of_row(const T* x, std::int64_t length, bool last, F better) {
  constexpr std::int64_t kLanes = 32;
  if (x[0] != x[0]) return 0;
  T lanes[kLanes];
  std::fill_n(lanes, kLanes, x[0]);
  const auto step = [=](T best, T value) { return better(value, best) ? value : best; };
  const std::int64_t whole = length / kLanes * kLanes;
  for (std::int64_t k = 0; k < whole; k += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] = step(lanes[lane], x[k + lane]);
  T best = x[0];
  for (const T lane : lanes) best = step(best, lane);
  for (std::int64_t k = whole; k < length; ++k) best = step(best, x[k]);
  std::int64_t index = last ? length - 1 : 0;
  while (x[index] != best) index += last ? -1 : 1;
  return index;
}

// The same for `count` neighbouring lanes, whose elements lie `step` apart.
template <std::int64_t kMost, typename T, typename F>
void arg_extremes(const T* x, std::int64_t count, std::int64_t length, std::int64_t step, bool last, F better,
                  std::int64_t* y) {
  T best[kMost];
  std::int64_t indices[kMost] = {};
  std::copy_n(x, count, best);
  for (std::int64_t k = 1; k < length; ++k)
    for (std::int64_t j = 0; j < count; ++j) {
      const T value = x[k * step + j];
      const bool takes = better(value, best[j]) || (last && value == best[j]);
      best[j] = takes ? value : best[j];
      indices[j] = takes ? k : indices[j];
    }
  std::copy_n(indices, count, y);
}

// The index of the element for which better(it, any other) holds, along the axis.
template <typename F>
void arg_extreme(Call& call, F better) {
  const Shape& shape = call.input(0).shape();
  const Lanes lanes(shape, normalize_axis(call.attributes().get_int("axis", 0), shape.size(), {}));
  const bool last = call.attributes().get_int("select_last_index", 0) != 0;
  std::int64_t* y = call.output(0).mutable_as<std::int64_t>().data();
  visit_numeric(call.input(0).dtype(), [&]<typename T>() {
    const T* x = call.input(0).as<T>().data();
    call.parallel().for_each_block(lanes.count, 4096 / lanes.length, [&](std::int64_t begin, std::int64_t end) {
      constexpr std::int64_t kMost = 64;
      for (std::int64_t lane = begin, count = 1; lane < end; lane += count) {
        if (lanes.step > 1) count = std::min({kMost, end - lane, lanes.step - lane % lanes.step});
        vectorized_float<T>([=, first = x + lanes.start(lane), to = y + lane] {
          if (lanes.step > 1)
            arg_extremes<kMost>(first, count, lanes.length, lanes.step, last, better, to);
          else
            *to = arg_extreme_of_row(first, lanes.length, last, better);
        });
      }
    });
  });
}

}  // namespace octet
