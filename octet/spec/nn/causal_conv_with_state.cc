// causal_conv_with_state.cc: the meaning of CausalConvWithState.
//
//   y[n, c, t] = f(bias[c] + Sum_k w[c, 0, k] * z[n, c, t + k])        z = past_state, or zeros, followed by x
//   present_state = the last K - 1 elements of z
//
// f is the identity, or with activation = silu or swish f(v) = v / (1 + exp(-v)). In the type of x (float32 for the
// half types), over k in order; the bias comes last.
//
//   causal_conv_with_state_c1  x, w, bias and past_state have one floating-point type.
//   causal_conv_with_state_c2  x is [N, C, T], w [C, 1, K] with K at least 1, bias [C], past_state [N, C, K - 1].
//   causal_conv_with_state_c3  activation is none, silu or swish.
#include <algorithm>
#include <cmath>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

constexpr std::size_t kConvBias = 2, kConvPast = 3;

bool is_activated(const Attributes& attributes) {
  const std::string activation = attributes.get_string("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    fail_constraint("causal_conv_with_state_c3", "activation is \"{}\", wanted none, silu or swish", activation);
  return activation != "none";
}

void infer_causal_conv_with_state(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "causal_conv_with_state_c1");
  for (std::size_t input = 1; input <= kConvPast; ++input)
    if (i.has(input)) require_same_type(i, input, 0, "causal_conv_with_state_c1");
  is_activated(i.attributes());
  require_rank(i, 0, 3, "causal_conv_with_state_c2");
  require_rank(i, 1, 3, "causal_conv_with_state_c2");
  const SymbolicShape x = i.has_shape(0) ? i.shape(0) : SymbolicShape(3);
  const Dim taps = i.has_shape(1) ? i.shape(1)[2] : Dim();
  if (taps.known() && taps.value() < 1)
    fail_constraint("causal_conv_with_state_c2", "the kernel has {} elements, wanted 1 or more", taps.value());
  require_shape(i, 1, {x[1], 1, taps}, "causal_conv_with_state_c2");
  require_shape(i, kConvBias, {x[1]}, "causal_conv_with_state_c2");
  const SymbolicShape state = {x[0], x[1], taps - 1};
  require_shape(i, kConvPast, state, "causal_conv_with_state_c2");
  i.set_output(0, i.dtype(0), x);
  i.set_output(1, i.dtype(0), state);
}

template <typename T>
void causal_conv_as(Call& call) {
  const Shape& x = call.input(0).shape();
  const std::int64_t steps = x[2], taps = call.input(1).shape()[2], past = taps - 1;
  const bool activated = is_activated(call.attributes());
  T* y = call.output(0).mutable_as<T>().data();
  T* present = call.wants(1) ? call.output(1).mutable_as<T>().data() : nullptr;
  call.parallel().for_each_block(x[0] * x[1], 16, [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> z(static_cast<std::size_t>(past + steps));
    for (std::int64_t row = begin; row < end; ++row) {
      const T* w = call.input(1).as<T>().data() + row % x[1] * taps;
      const T bias = call.has(kConvBias) ? call.input(kConvBias).as<T>()[static_cast<std::size_t>(row % x[1])] : T(0);
      if (call.has(kConvPast)) std::copy_n(call.input(kConvPast).as<T>().data() + row * past, past, z.begin());
      std::copy_n(call.input(0).as<T>().data() + row * steps, steps, z.begin() + past);
      for (std::int64_t t = 0; t < steps; ++t) {
        T sum = 0;
        for (std::int64_t k = 0; k < taps; ++k) sum += w[k] * z[static_cast<std::size_t>(t + k)];
        sum += bias;
        y[row * steps + t] = activated ? sum / (1 + std::exp(-sum)) : sum;
      }
      if (present) std::copy_n(z.end() - past, past, present + row * past);
    }
  });
}

}  // namespace

const Operator ops::kCausalConvWithState = {
    .name = "CausalConvWithState",
    .versions = {27},
    .formula = "y[n,c,t] = f(bias[c] + Sum_k w[c,0,k] * z[n,c,t+k]), z = past_state followed by x",
    .constraints = {{"causal_conv_with_state_c1", "x, w, bias and past_state have one floating-point type"},
                    {"causal_conv_with_state_c2",
                     "x is [N, C, T], w [C, 1, K] with K at least 1, bias [C], past_state [N, C, K - 1]"},
                    {"causal_conv_with_state_c3", "activation is none, silu or swish"}},
    .infer = infer_causal_conv_with_state,
    .compute = [](Call& call) { visit_float(call.output_dtype(0), [&]<typename T>() { causal_conv_as<T>(call); }); },
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
