// FusedConv and FusedGemm. tests/judge/fused_cases.py compares them with ONNX Runtime.
#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

std::vector<Tensor> doubling(const Floats& x) {
  return {f32({1, 1, static_cast<std::int64_t>(x.size())}, x), f32({1, 1, 1}, {2})};
}

TEST(FusedConv, AddsThenActivates) {
  std::vector<Tensor> inputs = doubling({-3, 1});
  EXPECT_EQ(values<float>(apply("FusedConv", {}, inputs)), (Floats{-6, 2}));
  EXPECT_EQ(values<float>(apply("FusedConv", {{"activation", "Relu"}}, inputs)), (Floats{0, 2}));
  const AttributeList leaky = {{"activation", "LeakyRelu"}, {"activation_params", Floats{0.5F}}};
  EXPECT_EQ(values<float>(apply("FusedConv", leaky, inputs)), (Floats{-3, 2}));
  inputs.resize(4);
  inputs[3] = f32({1, 1, 2}, {10, 1});
  const AttributeList clip = {{"activation", "Clip"}, {"activation_params", Floats{0, 3.5F}}};
  EXPECT_EQ(values<float>(apply("FusedConv", clip, inputs)), (Floats{3.5F, 3}));
}

TEST(FusedConv, Constraints) {
  std::vector<Tensor> inputs = doubling({-3, 1});
  EXPECT_EQ(refused("FusedConv", {}, with(inputs, 1, f32({1}, {2}))), "conv_c2");
  EXPECT_EQ(refused("FusedConv", {{"activation", "Sin"}}, inputs), "fused_conv_c3");
  EXPECT_EQ(refused("FusedConv", {{"activation", "LeakyRelu"}}, inputs), "fused_conv_c3");
  inputs.resize(4);
  EXPECT_EQ(refused("FusedConv", {}, with(inputs, 3, f32({1, 1, 1}, {2}))), "fused_conv_c2");
}

TEST(FusedGemm, Activates) {
  const std::vector<Tensor> inputs = {f32({1, 2}, {1, 2}), f32({2, 2}, {1, -1, 1, -1})};
  EXPECT_EQ(values<float>(apply("FusedGemm", {{"activation", "Relu"}}, inputs)), (Floats{3, 0}));
  const AttributeList steep = {{"activation", "HardSigmoid"}, {"activation_alpha", 0.25F}, {"activation_beta", 0.5F}};
  EXPECT_EQ(values<float>(apply("FusedGemm", steep, inputs)), (Floats{1, 0}));
}

TEST(FusedGemm, Constraints) {
  const std::vector<Tensor> inputs = {f32({1, 2}, {1, 2}), f32({2, 2}, {1, -1, 1, -1})};
  EXPECT_EQ(refused("FusedGemm", {}, {i32({1, 1}, {1}), i32({1, 1}, {1})}), "fused_gemm_c1");
  EXPECT_EQ(refused("FusedGemm", {}, with(inputs, 1, f32({1, 2}, {1, 2}))), "gemm_c3");
  EXPECT_EQ(refused("FusedGemm", {{"activation", "Elu"}}, inputs), "fused_gemm_c2");
}

}  // namespace
}  // namespace octet
