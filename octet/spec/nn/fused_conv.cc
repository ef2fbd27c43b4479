// fused_conv.cc: the meaning of com.microsoft FusedConv.
//
//   y = activation(Conv(x, w, b) + z)
//
// Conv, the addition and the activation are the standard's operators, each rounded (fused_activation.h); without z nothing is
// added, and without the attribute `activation` nothing follows. Its parameters are activation_params.
//
//   fused_conv_c1  x, w and b are what Conv takes.
//   fused_conv_c2  z has x's type and y's shape.
//   fused_conv_c3  activation is one that fused_activation.h names, with all its parameters.
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/fused_activation.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

FusedActivation conv_activation(const Attributes& attributes) {
  const std::vector<float> parameters = attributes.get_floats("activation_params");
  const auto parameter = [&](std::size_t index, std::string_view) {
    return index < parameters.size() ? std::optional(parameters[index]) : std::nullopt;
  };
  return fused_activation(attributes, parameter, "fused_conv_c3");
}

void infer_fused_conv(Inference& i) {
  ops::kConv.infer(i);
  if (i.has(3)) require_same_type(i, 3, 0, "fused_conv_c2");
  if (const std::optional<SymbolicShape>& y = i.outputs()[0].shape) require_shape(i, 3, *y, "fused_conv_c2");
  conv_activation(i.attributes());
}

void compute_fused_conv(Call& call) {
  const Environment environment = {.arithmetic = call.arithmetic(), .parallel = call.parallel()};
  ops::kConv.compute(call);
  Tensor y = call.output(0);
  if (call.has(3)) y = execute(ops::kAdd, 7, {}, {std::move(y), call.input(3)}, 1, environment)[0];
  call.set_output(0, apply_activation(conv_activation(call.attributes()), std::move(y), environment));
}

}  // namespace

const Operator ops::kFusedConv = {
    .name = "FusedConv",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "y = activation(Conv(x, w, b) + z)",
    .constraints = {{"fused_conv_c1", "x, w and b are what Conv takes"},
                    {"fused_conv_c2", "z has x's type and y's shape"},
                    {"fused_conv_c3",
                     "activation is Relu, Sigmoid, Tanh, HardSwish, Softplus, Softsign, LeakyRelu, Elu, Celu, "
                     "ThresholdedRelu, HardSigmoid, Selu or Clip, with all its parameters"}},
    .infer = infer_fused_conv,
    .compute = compute_fused_conv,
    .traits = {Trait::kSumOfProducts},
    .macs = MacRule::kConvolution,
};

}  // namespace octet
