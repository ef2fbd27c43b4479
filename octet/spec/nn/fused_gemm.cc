// fused_gemm.cc: the meaning of com.microsoft FusedGemm.
//
//   y = activation(Gemm(a, b, c))
//
// Gemm and the activation are the standard's operators, each rounded (fused_activation.h). The parameters are activation_alpha,
// activation_beta and activation_gamma.
//
//   fused_gemm_c1  a, b and c are what Gemm takes, with floating-point elements.
//   fused_gemm_c2  activation is one that fused_activation.h names, with all its parameters.
#include <string>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/fused_activation.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

constexpr int kGemmOpset = 13;

FusedActivation gemm_activation(const Attributes& attributes) {
  const auto parameter = [&](std::size_t, std::string_view name) -> std::optional<float> {
    const std::string attribute = "activation_" + std::string(name);
    return attributes.has(attribute) ? std::optional(attributes.get_float(attribute, 0)) : std::nullopt;
  };
  return fused_activation(attributes, parameter, "fused_gemm_c2");
}

void infer_fused_gemm(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "fused_gemm_c1");
  std::vector<Fact> inputs;
  for (std::size_t k = 0; k < i.input_count(); ++k) inputs.push_back(i.has(k) ? i.input(k) : Fact());
  Inference gemm(kGemmOpset, i.attributes(), std::move(inputs), 1);
  ops::kGemm.infer(gemm);
  gemm_activation(i.attributes());
  i.set_output(0, gemm.outputs()[0].dtype, gemm.outputs()[0].shape);
}

void compute_fused_gemm(Call& call) {
  const Environment environment = {.arithmetic = call.arithmetic(), .parallel = call.parallel()};
  ops::kGemm.compute(call);
  Tensor y = call.output(0);
  call.set_output(0, apply_activation(gemm_activation(call.attributes()), std::move(y), environment));
}

}  // namespace

const Operator ops::kFusedGemm = {
    .name = "FusedGemm",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "y = activation(Gemm(a, b, c))",
    .constraints = {{"fused_gemm_c1", "a, b and c are what Gemm takes, with floating-point elements"},
                    {"fused_gemm_c2",
                     "activation is Relu, Sigmoid, Tanh, HardSwish, Softplus, Softsign, LeakyRelu, Elu, Celu, "
                     "ThresholdedRelu, HardSigmoid, Selu or Clip, with all its parameters"}},
    .infer = infer_fused_gemm,
    .compute = compute_fused_gemm,
    .traits = {Trait::kSumOfProducts},
    .macs = MacRule::kMatrix,
};

}  // namespace octet
