// FastGelu, BiasGelu, QuickGelu and Gelu of com.microsoft. Expected numbers are ONNX Runtime's.
#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

Tensor gelu_input() { return f32({2, 3}, {-3, -0.5F, 0, 1, 2, 4}); }
Tensor gelu_bias() { return f32({3}, {0.5F, -0.25F, 1}); }

void expect_close(const Tensor& got, const Floats& want) {
  const Floats found = values<float>(got);
  ASSERT_EQ(found.size(), want.size());
  for (std::size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(found[k], want[k], 3e-7) << "at " << k;
}

TEST(MicrosoftGelu, IsThatOfTheErrorFunction) {
  static const Parallel parallel(2);
  static const Arithmetic arithmetic;
  const std::vector<Tensor> y =
      execute(*find_operator("com.microsoft", "Gelu"), 1, {}, {gelu_input()}, 1, {arithmetic, parallel});
  expect_close(y[0], {-0.00404969F, -0.15426877F, 0, 0.8413447F, 1.9544997F, 3.9998732F});
}

TEST(FastGelu, EqualsONNXRuntimeToTheLastBit) {
  EXPECT_EQ(values<float>(apply("FastGelu", {}, {gelu_input()})),
            (Floats{-0.0036375224590301514F, -0.1542859971523285F, 0, 0.8411920070648193F, 1.9545977115631104F,
                    3.999929904937744F}));
  EXPECT_EQ(values<float>(apply("FastGelu", {}, {gelu_input(), gelu_bias()})),
            (Floats{-0.015084296464920044F, -0.17003944516181946F, 0.8411920070648193F, 1.3995715379714966F,
                    1.6797953844070435F, 4.999999523162842F}));
}

TEST(FastGelu, IsWhatTheStandardCallsTanh) {
  const Tensor standard = run_operator("Gelu", 20, {{"approximate", std::string("tanh")}}, {gelu_input()})[0];
  EXPECT_EQ(values<float>(standard), values<float>(apply("FastGelu", {}, {gelu_input()})));
}

TEST(BiasGelu, AddsFirst) {
  expect_close(apply("BiasGelu", {}, {gelu_input(), gelu_bias()}),
               {-0.0155241F, -0.1699705F, 0.8413447F, 1.3997892F, 1.6798965F, 4.9999986F});
}

TEST(QuickGelu, EqualsONNXRuntimeToTheLastBit) {
  EXPECT_EQ(values<float>(apply("QuickGelu", {}, {gelu_input()})),
            (Floats{-0.018071293830871582F, -0.14961157739162445F, 0, 0.845795750617981F, 1.9356586933135986F,
                    3.9955854415893555F}));
  EXPECT_EQ(values<float>(apply("QuickGelu", {{"alpha", 1.0F}}, {gelu_input()})),
            (Floats{-0.14227759838104248F, -0.1887703537940979F, 0, 0.7310585975646973F, 1.7615941762924194F,
                    3.9280550479888916F}));
}

TEST(Gelus, TakeNothing) {
  EXPECT_EQ(apply("FastGelu", {}, {Tensor(DType::kFloat, {2, 0}), Tensor(DType::kFloat, {0})}).shape(), (Shape{2, 0}));
}

TEST(Gelus, InferWhatTheyCan) {
  const Fact x = fact(DType::kFloat16, SymbolicShape{Dim::symbol("N"), 3});
  EXPECT_EQ(text(inferred("BiasGelu", {}, {x, fact(DType::kFloat16, std::nullopt)})), "float16[N,3]");
  EXPECT_EQ(text(inferred("FastGelu", {}, {fact(DType::kFloat, std::nullopt)})), "float32 of any rank");
}

TEST(Gelus, CheckTheirConstraints) {
  const Tensor bytes = u8({3}, {1, 2, 3});
  EXPECT_EQ(refused("FastGelu", {}, {bytes}), "fast_gelu_c1");
  EXPECT_EQ(refused("FastGelu", {}, {gelu_input(), f32({2}, {1, 2})}), "fast_gelu_c2");
  EXPECT_EQ(refused("FastGelu", {}, {gelu_input(), bytes}), "fast_gelu_c2");
  EXPECT_EQ(refused("FastGelu", {}, {f32(1), f32({1}, {1})}), "fast_gelu_c2");
  EXPECT_EQ(refused("BiasGelu", {}, {bytes, gelu_bias()}), "bias_gelu_c1");
  EXPECT_EQ(refused("BiasGelu", {}, {gelu_input(), f32({1, 3}, {1, 2, 3})}), "bias_gelu_c2");
  EXPECT_EQ(refused("QuickGelu", {}, {bytes}), "quick_gelu_c1");
}

}  // namespace
}  // namespace octet
