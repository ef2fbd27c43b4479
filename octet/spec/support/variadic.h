// variadic.h: the shape rule and the loop of operators that fold any number of inputs with broadcasting.
#pragma once

#include <cstdint>
#include <string_view>

#include "octet/base/vectorize.h"
#include "octet/base/visit.h"
#include "octet/spec/operator.h"
#include "octet/spec/support/broadcast_runs.h"
#include "octet/spec/support/types.h"

namespace octet {

// Two constraints, labelled by the operator's stem ("max"): <stem>_c1, all inputs are of one type of `kind`; <stem>_c2,
// the shapes broadcast.
void infer_variadic(Inference& i, std::string_view stem, TypeKind kind);

// y = f(...f(f(x0, x1), x2)..., xn) in T, left to right.
template <typename T, typename F>
void fold_elements(Call& call, F f) {
  T* const ys = call.output(0).mutable_as<T>().data();
  for (std::size_t n = 0; n < call.input_count(); ++n) {
    const T* const xs = call.input(n).as<T>().data();
    const BroadcastRuns runs({call.input(n).shape()}, call.output_shape(0));
    const bool moves = runs.moves(0);
    runs.for_each(call.parallel(), [=](const BroadcastRuns::Run& run) {
      const T* x = xs + run.inputs[0];
      T* y = ys + run.output;
      const std::int64_t count = run.count;
      vectorized_float<T>([=] {
        const T only = *x;
        if (n == 0)
          for (std::int64_t k = 0; k < count; ++k) y[k] = moves ? x[k] : only;
        else
          for (std::int64_t k = 0; k < count; ++k) y[k] = f(y[k], moves ? x[k] : only);
      });
    });
  }
}

template <typename F>
void fold_numeric(Call& call, F f) {
  visit_numeric(call.input(0).dtype(), [&]<typename T>() { fold_elements<T>(call, f); });
}

}  // namespace octet
