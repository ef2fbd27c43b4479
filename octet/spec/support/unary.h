// unary.h: the shape rule and the loops of operators y[i] = f(x[i]).
#pragma once

#include <cstdint>
#include <string_view>

#include "octet/base/vectorize.h"
#include "octet/base/visit.h"
#include "octet/spec/operator.h"
#include "octet/spec/support/grain.h"
#include "octet/spec/support/types.h"

namespace octet {

// The first output has the shape and the type of the first input, which must be of `kind`.
void infer_unary(Inference& i, TypeKind kind, std::string_view label);

template <typename X, typename Y, typename F>
void map_elements(Call& call, F f) {
  const X* x = call.input(0).as<X>().data();
  Y* y = call.output(0).mutable_as<Y>().data();
  call.parallel().for_each_block(call.input(0).size(), kElementGrain, [=](std::int64_t begin, std::int64_t end) {
    vectorized_float<X>([=] {
      for (std::int64_t k = begin; k < end; ++k) y[k] = static_cast<Y>(f(x[k]));
    });
  });
}

// y of x's type, which is float or double.
template <typename F>
void map_float(Call& call, F f) {
  visit_float(call.input(0).dtype(), [&]<typename T>() { map_elements<T, T>(call, f); });
}

// y of x's type, which is any number.
template <typename F>
void map_numeric(Call& call, F f) {
  visit_numeric(call.input(0).dtype(), [&]<typename T>() { map_elements<T, T>(call, f); });
}

}  // namespace octet
