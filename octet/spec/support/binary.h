// binary.h: the shape rule and the loop of operators c[i] = f(a[i], b[i]) with broadcasting.
//
// Since opset 7 numpy's rules hold. Before, b's axes were matched to a's from the attribute `axis` on, or to its last
// ones, and only where the attribute `broadcast` was set.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "octet/base/vectorize.h"
#include "octet/base/visit.h"
#include "octet/spec/operator.h"
#include "octet/spec/support/broadcast_runs.h"
#include "octet/spec/support/types.h"

namespace octet {

// Two constraints, labelled by the operator's stem ("add"): <stem>_c1, both inputs are of one type of `kind`;
// <stem>_c2, the shapes broadcast. The output is of the inputs' type or of `result`.
void infer_binary(Inference& i, std::string_view stem, TypeKind kind, std::optional<DType> result = std::nullopt);

// Checks <stem>_c2 only. Returns the output's shape; nothing when a rank is not known.
std::optional<SymbolicShape> broadcast_inputs(const Inference& i, std::string_view stem);

// Integer scalars and vectors made from shapes: the output's elements, each combine(a, b). Elements that would leave
// the output's type wrap when computed; as dimensions they make no sense and are left unknown.
void propagate_elements(Inference& i, Dim (*combine)(const Dim& a, const Dim& b));

// The second input, reshaped so that numpy's rules match it to the first.
Tensor second_operand(const Call& call);

// c[k] = f(a[k], b[k]) for `count` elements, where an operand that does not move is one element.
template <typename A, typename B, typename C, typename F>
void zip_run(const A* a, bool a_moves, const B* b, bool b_moves, C* c, std::int64_t count, F f) {
  vectorized_float<A>([=] {
    if (a_moves && b_moves) {
      for (std::int64_t k = 0; k < count; ++k) c[k] = static_cast<C>(f(a[k], b[k]));
    } else if (a_moves) {
      const B only = *b;
      for (std::int64_t k = 0; k < count; ++k) c[k] = static_cast<C>(f(a[k], only));
    } else {
      const A only = *a;
      for (std::int64_t k = 0; k < count; ++k) c[k] = static_cast<C>(f(only, b_moves ? b[k] : *b));
    }
  });
}

// c = f(a, b); c has the shape that a and b broadcast to.
template <typename A, typename B, typename C, typename F>
void zip_elements(const Parallel& parallel, const Tensor& first, const Tensor& second, Tensor& result, F f) {
  const A* const a = first.as<A>().data();
  const B* const b = second.as<B>().data();
  C* const c = result.mutable_as<C>().data();
  const BroadcastRuns runs({first.shape(), second.shape()}, result.shape());
  runs.for_each(parallel, [&](const BroadcastRuns::Run& run) {
    zip_run(a + run.inputs[0], runs.moves(0), b + run.inputs[1], runs.moves(1), c + run.output, run.count, f);
  });
}

// The call's output c = f(a, b), where both inputs are of type T.
template <typename T, typename C, typename F>
void zip_inputs(Call& call, F f) {
  zip_elements<T, T, C>(call.parallel(), call.input(0), second_operand(call), call.output(0), f);
}

// c of the inputs' type, which is any number.
template <typename F>
void zip_numeric(Call& call, F f) {
  visit_numeric(call.input(0).dtype(), [&]<typename T>() { zip_inputs<T, T>(call, f); });
}

// c of the inputs' type, which is any integer.
template <typename F>
void zip_integer(Call& call, F f) {
  visit_integer(call.input(0).dtype(), [&]<typename T>() { zip_inputs<T, T>(call, f); });
}

// c is bool, a and b are any number.
template <typename F>
void compare_numeric(Call& call, F f) {
  visit_numeric(call.input(0).dtype(), [&]<typename T>() { zip_inputs<T, bool>(call, f); });
}

}  // namespace octet
