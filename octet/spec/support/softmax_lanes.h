// softmax_lanes.h: what Softmax and LogSoftmax normalize over (softmax_axis.h).
#pragma once

#include <string_view>

#include "octet/base/visit.h"
#include "octet/spec/axes.h"
#include "octet/spec/operator.h"

namespace octet {

// The output is shaped like the input. Throws kConstraint with `type_label` unless the input is floating point, and
// with `axis_label` for an axis that it does not have.
void infer_softmax(Inference& i, std::string_view type_label, std::string_view axis_label);

Lanes softmax_lanes(const Call& call);

// normalize(lanes, begin, end, x, y) for all lanes of the call's input and output, block by block.
template <typename F>
void normalize_lanes(Call& call, F normalize) {
  const Lanes lanes = softmax_lanes(call);
  if (lanes.length == 0) return;
  visit_float(call.output_dtype(0), [&]<typename T>() {
    const T* x = call.input(0).as<T>().data();
    T* y = call.output(0).mutable_as<T>().data();
    call.parallel().for_each_block(lanes.count, 4096 / lanes.length,
                                   [&](std::int64_t begin, std::int64_t end) { normalize(lanes, begin, end, x, y); });
  });
}

}  // namespace octet
