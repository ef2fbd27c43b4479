// arg_extreme.h: what ArgMax and ArgMin share.
#pragma once

#include <string_view>

#include "octet/base/visit.h"
#include "octet/spec/axes.h"
#include "octet/spec/operator.h"

namespace octet {

// The output is int64; keepdims leaves the axis with dimension 1. Throws kConstraint with `type_label` unless the input
// holds numbers, and with `axis_label` for an axis that it does not have or that is empty.
void infer_arg_extreme(Inference& i, std::string_view type_label, std::string_view axis_label);

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
      for (std::int64_t lane = begin; lane < end; ++lane) {
        const T* first = x + lanes.start(lane);
        std::int64_t best = 0;
        for (std::int64_t k = 1; k < lanes.length; ++k) {
          const T value = first[k * lanes.step], current = first[best * lanes.step];
          if (better(value, current) || (last && value == current)) best = k;
        }
        y[lane] = best;
      }
    });
  });
}

}  // namespace octet
