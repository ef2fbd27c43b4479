// cumulative.h: what CumSum and CumProd share: a walk along one axis that combines the elements passed so far.
#pragma once

#include <string_view>

#include "octet/base/visit.h"
#include "octet/spec/axes.h"
#include "octet/spec/operator.h"

namespace octet {

// Throws kConstraint with `type_label` unless the first input is a number, and with `axis_label` unless the second is
// one axis of it. The output is like the first input.
void infer_cumulative(Inference& i, std::string_view type_label, std::string_view axis_label);

// y[i] = x[0] f x[1] f ... f x[i] along the axis, from the left. `exclusive` leaves x[i] itself out, so that y[0] is
// `nothing`; `reverse` walks the axis from its end.
template <typename F>
void cumulate(Call& call, int nothing, F f) {
  const Tensor& input = call.input(0);
  if (input.size() == 0) return;
  const std::size_t axis = normalize_axis(call.input(1).int_at(0), input.shape().size(), {});
  const bool exclusive = call.attributes().get_int("exclusive", 0) != 0;
  const bool reverse = call.attributes().get_int("reverse", 0) != 0;
  const Lanes lanes(input.shape(), axis);
  const std::int64_t step = reverse ? -lanes.step : lanes.step;
  visit_numeric(input.dtype(), [&]<typename T>() {
    const T* x = input.as<T>().data();
    T* y = call.output(0).mutable_as<T>().data();
    call.parallel().for_each_block(lanes.count, 64, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t lane = begin; lane < end; ++lane) {
        std::int64_t at = lanes.start(lane) + (reverse ? (lanes.length - 1) * lanes.step : 0);
        T passed = static_cast<T>(nothing);
        for (std::int64_t k = 0; k < lanes.length; ++k, at += step) {
          const T before = passed;
          passed = k == 0 ? x[at] : f(passed, x[at]);
          y[at] = exclusive ? before : passed;
        }
      }
    });
  });
}

}  // namespace octet
