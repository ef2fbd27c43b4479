// activation.h: the activation functions of recurrent networks, by their names in the standard.
//
//   Relu              max(0, x)                          Tanh          tanh(x)
//   Sigmoid           1 / (1 + exp(-x))                  Softsign      x / (1 + |x|)
//   Softplus          log(1 + exp(x))                    Affine        alpha * x + beta             (1, 0)
//   LeakyRelu         x < 0 ? alpha * x : x  (0.01)      ScaledTanh    alpha * tanh(beta * x)       (1, 1)
//   ThresholdedRelu   x >= alpha ? x : 0     (1)         HardSigmoid   clamp(alpha * x + beta, 0, 1)    (0.2, 0.5)
//   Elu               x < 0 ? alpha * (exp(x) - 1) : x   (1)
//
// In brackets: alpha and beta where the model does not give them. Of float32, Sigmoid and Tanh are ONNX Runtime's
// approximations (ort_sigmoid.h, ort_tanh.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octet {

class Activation {
 public:
  // x[k] = f(x[k]). T is float or double.
  template <typename T>
  void apply(T* x, std::int64_t count) const;

 private:
  friend std::vector<Activation> activations(std::span<const std::string> names, std::vector<float> alphas,
                                             std::vector<float> betas, std::string_view label);
  enum class Kind {
    kRelu,
    kTanh,
    kSigmoid,
    kSoftsign,
    kSoftplus,
    kAffine,
    kLeakyRelu,
    kScaledTanh,
    kThresholdedRelu,
    kHardSigmoid,
    kElu,
  };
  struct Entry;
  static std::span<const Entry> entries();

  Kind kind_;
  float alpha_, beta_;
};

// Names are read without regard to case. Functions that have an alpha or a beta take the next one of the list. Throws
// kConstraint with `label` for an unknown name.
std::vector<Activation> activations(std::span<const std::string> names, std::vector<float> alphas,
                                    std::vector<float> betas, std::string_view label);

}  // namespace octet
