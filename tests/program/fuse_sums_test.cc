#include <gtest/gtest.h>

#include <limits>

#include "tests/program/networks.h"

namespace octet {
namespace {

// uint8 [1,2,1,2] * int8 [2,2,1,1] with scales 0.5 and {0.25, 0.5}, a bias of float32; what reads t comes behind.
Model biased(const std::vector<float>& bias, const std::string& behind, const std::string& outputs = "y") {
  return network("main (x) => (" + outputs +
                     ") { a = DequantizeLinear (x, xs, xz)\n w = DequantizeLinear <axis: int = 0> (wq, ws, wz)\n"
                     " t = Conv (a, w, b)\n" +
                     behind + " }",
                 {value("x", DType::kUint8, SymbolicShape{1, 2, 1, 2})},
                 {{"xs", f(0.5F)},
                  {"xz", u8(3)},
                  {"wq", Tensor::from<std::int8_t>({2, 2, 1, 1}, {2, -3, 5, 7})},
                  {"ws", Tensor::from<float>({2}, {0.25F, 0.5F})},
                  {"wz", Tensor::from<std::int8_t>({2}, {0, 0})},
                  {"b", Tensor::from<float>({2}, bias)},
                  {"ys", f(1)},
                  {"half", f(0.5F)},
                  {"yz", u8(7)}});
}

const std::string kQuantized = " y = QuantizeLinear (t, ys, yz)";
const Names kFloatSum = {"ConvInteger", "Cast", "Mul", "Add"};

Names with(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

TEST(FuseSums, TakesAFloatBiasThatIsAnIntegerInTheSumsUnits) {
  const Program program = lowered(biased({1.25F, -0.75F}, kQuantized), Policy::kExact);
  ASSERT_EQ(operators_of(program), (Names{"QLinearConv"}));
  EXPECT_EQ(sum_of(program.steps[0].work)->bias, (std::vector<std::int32_t>{10, -3}));
  EXPECT_TRUE(program.steps[0].warnings.empty());
  const Program largest = lowered(biased({0x1p21F, 0}, kQuantized), Policy::kExact);
  EXPECT_EQ(operators_of(largest), (Names{"QLinearConv"}));
  EXPECT_EQ(sum_of(largest.steps[0].work)->bias[0], 1 << 24);
  EXPECT_EQ(operators_of(lowered(biased({0x1p22F, 0}, kQuantized), Policy::kExact)),
            with(kFloatSum, {"QuantizeLinear"}));
}

TEST(FuseSums, TakesWeightsOfFourBits) {
  for (const DType dtype : {DType::kInt4, DType::kUint4})
    for (const char* blocked : {"", ", block_size: int = 2"}) {
      const bool blocks = *blocked != 0;
      const Model model = network(
          std::string("main (x) => (y) { a = DequantizeLinear (x, xs, xz)\n w = DequantizeLinear <axis: int = 0") +
              blocked + "> (wq, ws)\n t = MatMul (a, w)\n y = QuantizeLinear (t, ys, xz) }",
          {value("x", DType::kInt8, SymbolicShape{1, 4})},
          {{"xs", f(0.5F)},
           {"xz", s8(3)},
           {"wq", convert(Tensor::from<std::int8_t>({4, 1}, {2, 7, 0, 5}), dtype)},
           {"ws", blocks ? Tensor::from<float>({2, 1}, {0.25F, 0.5F}) : f(0.25F)},
           {"ys", f(1)}});
      const Program program = lowered(model, Policy::kExact);
      if (blocks) {
        EXPECT_EQ(operators_of(program).back(), "QuantizeLinear");
        continue;
      }
      ASSERT_EQ(operators_of(program), (Names{"QLinearMatMul"}));
      EXPECT_EQ(sum_of(program.steps[0].work)->weights.to_ints(), (std::vector<std::int64_t>{2, 7, 0, 5}));
    }
}

TEST(FuseSums, AddsAnyOtherFloatBiasBehindTheIntegerSum) {
  const Program program = lowered(biased({1.3F, -0.75F}, kQuantized), Policy::kExact);
  ASSERT_EQ(operators_of(program), with(kFloatSum, {"QuantizeLinear"}));
  const Step& step = program.steps[0];
  EXPECT_EQ(step.reason,
            "Conv behind DequantizeLinear, its sum scaled to float, not to integers: the float bias b[0] = 1.3 is no "
            "integer in units of x_scale * w_scale = 0.125");
  EXPECT_EQ(step.kind, StepKind::kConvolution);
  EXPECT_TRUE(step.opaque.empty());
  const auto& to_float = std::get<work::ToFloat>(std::get<work::Convolution>(step.work).epilogue.at(0));
  EXPECT_EQ(to_float.multipliers, (std::vector<float>{0.125F, 0.25F}));
  EXPECT_EQ(to_float.bias, (std::vector<float>{1.3F, -0.75F}));
}

TEST(FuseSums, RefusesABiasThatIsNotFinite) {
  for (const float bias : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    EXPECT_EQ(operators_of(lowered(biased({bias, 0}, kQuantized), Policy::kExact)),
              (Names{"DequantizeLinear", "DequantizeLinear", "Conv", "QuantizeLinear"}));
}

TEST(FuseSums, RefusesAUnitThatLosesDigits) {
  Model model = biased({0, 0}, kQuantized);
  for (Initializer& initializer : model.graph.initializers)
    if (initializer.name == "ws") initializer.tensor = Tensor::from<float>({2}, {1e-38F, 1});
  model.graph.outputs.push_back(value("t", DType::kFloat, std::nullopt));
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact))[2], "Conv");
}

TEST(FuseSums, ScalesAConvolutionToFloatThatIsWantedSo) {
  EXPECT_EQ(operators_of(lowered(biased({1.25F, 0}, " y = Softmax (t)"), Policy::kExact)),
            with(kFloatSum, {"Softmax"}));
  EXPECT_EQ(operators_of(lowered(biased({1.25F, 0}, " y = Softmax (t)"), Policy::kOnnxRuntime))[2], "Conv");
}

TEST(FuseSums, LeavesWeightsWhoseZeroPointsDiffer) {
  Model model = biased({1.3F, 0}, kQuantized);
  for (Initializer& initializer : model.graph.initializers)
    if (initializer.name == "wz") initializer.tensor = Tensor::from<std::int8_t>({2}, {0, 1});
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact))[2], "Conv");
}

TEST(FuseSums, QuantizesOneSumTwice) {
  const std::string two = " y = QuantizeLinear (t, ys, yz)\n u = QuantizeLinear (t, half, yz)";
  EXPECT_EQ(operators_of(lowered(biased({1.25F, 0}, two, "y, u"), Policy::kExact)),
            with(kFloatSum, {"QuantizeLinear", "QuantizeLinear"}));
}

TEST(FuseSums, MergesQuantizersOfEqualParameters) {
  const auto read = [](const std::string& second) {
    return operators_of(lowered(biased({1.25F, 0},
                                       " p = QuantizeLinear (t, ys, yz)\n q = QuantizeLinear (t, " + second +
                                           ")\n y = DequantizeLinear (p, ys, yz)\n u = DequantizeLinear (q, ys, yz)",
                                       "y, u"),
                                Policy::kExact));
  };
  EXPECT_EQ(read("ys, yz"), (Names{"QLinearConv", "DequantizeLinear", "DequantizeLinear"}));
  EXPECT_EQ(read("half, yz")[0], "ConvInteger");
  EXPECT_EQ(read("ys, xz")[0], "ConvInteger");
  const std::string outputs = " y = QuantizeLinear (t, ys, yz)\n u = QuantizeLinear (t, ys, yz)";
  EXPECT_EQ(operators_of(lowered(biased({1.25F, 0}, outputs, "y, u"), Policy::kExact)),
            with(kFloatSum, {"QuantizeLinear", "QuantizeLinear"}));
}

TEST(FuseSums, TurnsAGemmWithAFloatBias) {
  const auto product = [](float bias) {
    return lowered(network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n"
                           " w = DequantizeLinear <axis: int = 0> (wq, ws, wz)\n"
                           " t = Gemm <transB: int = 1> (a, w, b)\n y = QuantizeLinear (t, s, z) }",
                           {value("x", DType::kInt8, SymbolicShape{1, 2})},
                           {{"s", f(0.5F)},
                            {"z", s8(0)},
                            {"wq", Tensor::from<std::int8_t>({3, 2}, {1, 2, 3, 4, 5, 6})},
                            {"ws", Tensor::from<float>({3}, {1, 2, 4})},
                            {"wz", Tensor(DType::kInt8, {3})},
                            {"b", Tensor::from<float>({3}, {bias, 1, 2})}}),
                   Policy::kExact);
  };
  EXPECT_EQ(operators_of(product(0.5F)), (Names{"QGemm"}));
  const Program program = product(0.3F);
  ASSERT_EQ(operators_of(program), (Names{"MatMulIntegerToFloat", "QuantizeLinear"}));
  const auto& work = std::get<work::MatrixProduct>(program.steps[0].work);
  EXPECT_EQ(work.sum.weights.int_at(1), 2);
  EXPECT_EQ(std::get<work::ToFloat>(work.epilogue.at(0)).bias, (std::vector<float>{0.3F, 1, 2}));
}

TEST(FuseSums, TakesABiasOfNoDimensions) {
  const Model model =
      network("main (x) => (t) { a = DequantizeLinear (x, s, z)\n w = DequantizeLinear (wq, s)\n t = Gemm (a, w, b) }",
              {value("x", DType::kUint8, SymbolicShape{2, 3})},
              {{"s", f(0.5F)}, {"z", u8(3)}, {"wq", Tensor::from<std::int8_t>({3, 1}, {2, -3, 5})}, {"b", f(0.3F)}});
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact)), (Names{"MatMulIntegerToFloat"}));
}

}  // namespace
}  // namespace octet
