// fused_activation.h: the activation behind an operator that ONNX Runtime's optimizer joined with it.
//
// It is the standard's operator of that name, applied to the rounded result: Relu, Sigmoid, Tanh, HardSwish, Softplus, Softsign,
// LeakyRelu (alpha), Elu (alpha), Celu (alpha), ThresholdedRelu (alpha), HardSigmoid (alpha, beta), Selu (alpha, gamma),
// Clip (min, max).
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "octet/spec/operator.h"

namespace octet {

struct FusedActivation {
  const Operator* op = nullptr;  // null: none
  int opset = 0;
  Attributes attributes = {};
};

// The value of parameter number `index`, called `name` by the activation; nothing where it is not given.
using ActivationParameter = std::function<std::optional<float>(std::size_t index, std::string_view name)>;

// That of the attribute `activation`; none where it is absent or empty. Throws kConstraint with `label` for an unknown name or
// a parameter that is not given.
FusedActivation fused_activation(const Attributes& attributes, const ActivationParameter& parameter,
                                 std::string_view label);

Tensor apply_activation(const FusedActivation& activation, Tensor x, const Environment& environment);

}  // namespace octet
