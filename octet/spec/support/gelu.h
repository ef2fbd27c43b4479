// gelu.h: the Gaussian error linear unit, and operators that add a bias to what they apply a function to.
#pragma once

#include <cmath>
#include <numbers>

#include "octet/base/visit.h"
#include "octet/spec/operator.h"
#include "octet/spec/ort_erf.h"
#include "octet/spec/ort_tanh.h"
#include "octet/spec/support/grain.h"

namespace octet {

// x/2 * (1 + erf(x / sqrt(2))). In float32 to ONNX Runtime's last bit, by ort_erf.h.
inline float gelu(float x) { return 0.5F * x * (ort_erf(x * static_cast<float>(std::numbers::sqrt2 / 2)) + 1); }
inline double gelu(double x) { return x / 2 * (1 + std::erf(x * (std::numbers::sqrt2 / 2))); }

// x/2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))). In float32 to ONNX Runtime's last bit: x * (C x x + B) by
// ort_tanh.h, then (x/2) * (tanh + 1), every operation rounded.
inline float gelu_by_tanh(float x) {
  constexpr float kB = 0.7978845608028654F, kC = 0.035677408136300125F;
  return 0.5F * x * (ort_tanh(x * (kC * x * x + kB)) + 1);
}
inline double gelu_by_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 * std::numbers::inv_pi) * (x + 0.044715 * x * x * x)));
}

// The output is that of infer_unary; input 1, where it is given, is a vector of x's type that is as long as x's last
// dimension. Throws kConstraint with `label`.
void require_last_bias(const Inference& i, std::string_view label);

// y[..., n] = f(x[..., n] + bias[n]), bias being input 1, or none.
template <typename F>
void map_with_bias(Call& call, F f) {
  visit_float(call.input(0).dtype(), [&]<typename T>() {
    const T* x = call.input(0).as<T>().data();
    const T* bias = call.has(1) ? call.input(1).as<T>().data() : nullptr;
    const std::int64_t length = bias ? call.input(1).size() : 1;
    T* y = call.output(0).mutable_as<T>().data();
    call.parallel().for_each_block(call.input(0).size(), kElementGrain, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) y[k] = f(bias ? x[k] + bias[k % length] : x[k]);
    });
  });
}

}  // namespace octet
