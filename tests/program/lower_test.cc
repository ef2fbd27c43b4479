#include "octet/program/lower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "octet/spec/registry.h"
#include "octet/spec/signature.h"
#include "tests/program/networks.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

const Step& step_of(const Program& program, std::string_view output) {
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations)
      if (program.values[operation.outputs[0]].name == output) return step;
  throw Error(ErrorCode::kUsage, "no step makes " + std::string(output));
}

// Why the float operator that makes `value` was not fused.
std::string reason(const Model& model, std::string_view value, Policy policy = Policy::kExact) {
  return step_of(lowered(model, policy), value).reason;
}

TEST(Lower, FusesAConvolution) {
  const Program program = lowered(convolution(), Policy::kExact);
  ASSERT_EQ(operators_of(program), (Names{"QLinearConv"}));
  const Step& step = program.steps[0];
  EXPECT_EQ(step.kind, StepKind::kConvolution);
  ASSERT_EQ(step.sources.size(), 5U);
  EXPECT_EQ(step.sources[3].op_type, "Conv");
  EXPECT_TRUE(step.warnings.empty());
}

TEST(Lower, ResolvesTheConstantsOfASum) {
  const Program program = lowered(convolution(), Policy::kExact);
  const work::Sum& sum = *sum_of(program.steps[0].work);
  const Scaling scaling = scaling_of(program.steps[0].work);
  EXPECT_EQ(sum.channels, 2);
  EXPECT_EQ(sum.products, 2);
  EXPECT_EQ(sum.x_zero_point, 3);
  EXPECT_EQ(sum.bias, (std::vector<std::int32_t>{10, -20}));
  EXPECT_EQ(scaling.multipliers, (std::vector<float>{0.125F, 0.25F}));
  // 10 - 3 * (2 - 3), -20 - 3 * (5 + 7)
  EXPECT_EQ(sum.starts, (std::vector<std::int64_t>{13, -56}));
  // x - 3 lies within [-131, 124]: 10 + 2 * -131 - 3 * 124, 10 + 2 * 124 + 3 * 131; -20 + 12 * -131, -20 + 12 * 124
  EXPECT_EQ(sum.least, (std::vector<std::int64_t>{-624, -1592}));
  EXPECT_EQ(sum.greatest, (std::vector<std::int64_t>{651, 1468}));
  EXPECT_EQ(scaling.y->zero_point, -128);
}

TEST(Lower, LetsSaturationDoARelu) {
  const Program program = lowered(convolution({"r", " r = Relu (t)\n", 0.125F, -128}), Policy::kExact);
  EXPECT_EQ(operators_of(program), (Names{"QLinearConv"}));
}

TEST(Lower, ClampsIntegersWhereSaturationDoesNot) {
  const Model model = convolution({"r", " r = Relu (t)\n", 0.125F, 7});
  const Program program = lowered(model, Policy::kExact);
  EXPECT_EQ(operators_of(program), (Names{"QLinearConv", "Clip"}));
  EXPECT_EQ(program.steps.size(), 1U);
  EXPECT_NE(program.steps[0].reason.find("clamp of the integers to [7, 127]"), std::string::npos);
}

TEST(Lower, KeepsThatReluInFloatAsOnnxRuntimeDoes) {
  const Model model = network(
      "main (x) => (y) { a = DequantizeLinear (x, s, z)\n t = Add (a, a)\n r = Relu (t)\n y = QuantizeLinear (r, s, z) "
      "}",
      {value("x", DType::kUint8, SymbolicShape{2})}, {{"s", f(1)}, {"z", u8(7)}});
  EXPECT_EQ(reason(model, "t", Policy::kOnnxRuntime),
            "Relu kept: its lower bound 0 quantizes to 7, and uint8's minimum is 0");
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact)), (Names{"QLinearAdd", "Clip"}));
}

TEST(Lower, LeavesInt8ToFloatAsOnnxRuntimeDoes) {
  EXPECT_EQ(reason(convolution(), "t", Policy::kOnnxRuntime), "ONNX Runtime on x86 does not fuse int8 activations");
}

// uint8 [1,2] by int8 weights, which `weights` makes of d.
Model product_of(const std::string& op, const std::string& weights, const std::string& zero_point, int opset) {
  return network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n d = DequantizeLinear (wq, s" + zero_point + ")\n" +
                     weights + " t = " + op + " (a, w)\n y = QuantizeLinear (t, s, z) }",
                 {value("x", DType::kUint8, SymbolicShape{1, 2})},
                 {{"s", f(1)},
                  {"z", u8(0)},
                  {"wz", s8(0)},
                  {"n", Tensor::from<std::int64_t>({2}, {2, 2})},
                  {"wq", Tensor::from<std::int8_t>({2, 2}, {1, 2, 3, 4})}},
                 opset);
}

TEST(Lower, SeesTransposedWeightsAsOnnxRuntimeDoes) {
  const std::string transposed = " w = Transpose (d)\n";
  const auto fused = [](const Model& model) {
    return operators_of(lowered(model, Policy::kOnnxRuntime)) == Names{"QLinearMatMul"};
  };
  EXPECT_TRUE(fused(product_of("MatMul", transposed, ", wz", 13)));
  EXPECT_TRUE(fused(product_of("MatMul", transposed, "", 21)));
  EXPECT_FALSE(fused(product_of("MatMul", transposed, "", 13)));
  EXPECT_FALSE(fused(product_of("MatMul", " w = Reshape (d, n)\n", ", wz", 21)));
}

TEST(Lower, WantsZeroPointsInGemmAsOnnxRuntimeDoes) {
  const std::string same = " w = Identity (d)\n";
  EXPECT_EQ(operators_of(lowered(product_of("Gemm", same, ", wz", 13), Policy::kOnnxRuntime)), (Names{"QGemm"}));
  EXPECT_EQ(reason(product_of("Gemm", same, "", 13), "t", Policy::kOnnxRuntime),
            "ONNX Runtime does not fuse Gemm of wq, which has no zero point");
  EXPECT_EQ(operators_of(lowered(product_of("Gemm", same, "", 13), Policy::kExact)), (Names{"QGemm"}));
}

TEST(Lower, WantsAsManyBiasScalesAsChannels) {
  Model model = convolution();
  for (Initializer& initializer : model.graph.initializers)
    if (initializer.name == "bs") initializer.tensor = Tensor::from<float>({3}, {1, 1, 1});
  EXPECT_EQ(failure_of([&] { lowered(model, Policy::kExact); }).where(), "b (DequantizeLinear)");
}

TEST(Lower, DoesNotFuseWhatTheIntegerOperatorRefuses) {
  Model model = network(
      "main (x) => (y) { a = DequantizeLinear (x, s, z)\n"
      " t = AveragePool <kernel_shape: ints = [2, 2], dilations: ints = [2, 2]> (a)\n y = QuantizeLinear (t, s, z) }",
      {value("x", DType::kUint8, SymbolicShape{1, 1, 4, 4})}, {{"s", f(1)}, {"z", u8(0)}}, 19);
  EXPECT_NE(reason(model, "t").find("QLinearAveragePool does not take it"), std::string::npos);
}

TEST(Lower, TreatsInputsWithDefaultsAsInputs) {
  Model model = convolution();
  model.graph.inputs.push_back(value("ys", DType::kFloat, SymbolicShape{}));
  const Program program = lowered(model, Policy::kExact);
  EXPECT_EQ(operators_of(program).back(), "QuantizeLinear");  // its scale is not known before the run
  EXPECT_TRUE(find_value(program, "ys")->constant.empty());
}

TEST(Lower, RefusesABiasOfAnotherScale) {
  EXPECT_EQ(
      reason(convolution({.bias_scale = 0.12875F}), "t"),
      "Conv behind DequantizeLinear, its sum scaled to float, not to integers: bias scale 0.12875 is 3 % off x_scale "
      "* w_scale = 0.125");
}

TEST(Lower, WritesOneStepPerNodeWhenAsked) {
  EXPECT_EQ(operators_of(lowered(convolution(), Policy::kAsWritten)),
            (Names{"DequantizeLinear", "DequantizeLinear", "DequantizeLinear", "Conv", "QuantizeLinear"}));
}

// x -> DequantizeLinear -> `nodes` -> QuantizeLinear; int8 [2,2], input scale 0.5 zero point 3.
Model around(const std::string& nodes, float y_scale = 0.5F, std::int8_t y_zero_point = 3) {
  return network("main (x) => (y) { a = DequantizeLinear (x, xs, xz)\n" + nodes + " y = QuantizeLinear (t, ys, yz) }",
                 {value("x", DType::kInt8, SymbolicShape{2, 2})},
                 {{"xs", f(0.5F)}, {"xz", s8(3)}, {"ys", f(y_scale)}, {"yz", s8(y_zero_point)}});
}

TEST(Lower, WantsPositiveFiniteScales) {
  for (const float scale : {-1.0F, 0.0F, std::numeric_limits<float>::infinity(), std::nanf("")})
    EXPECT_EQ(operators_of(lowered(around(" t = Relu (a)\n", scale), Policy::kExact)).back(), "QuantizeLinear");
}

// a and b, of an 8-bit type each with a scale and zero point of its own, through one operator.
struct ExtremeParts {
  std::string op;  // of a and b
  float a = 1, b = 1, y = 1;
  std::int8_t z = 0;
};
Model extreme(const ExtremeParts& parts) {
  return network(
      "main (x, m) => (y) { a = DequantizeLinear (x, as, z)\n b = DequantizeLinear (m, bs, z)\n t = " + parts.op +
          "\n y = QuantizeLinear (t, ys, z) }",
      {value("x", DType::kInt8, SymbolicShape{1, 1, 2, 2}), value("m", DType::kInt8, SymbolicShape{1, 1, 2, 2})},
      {{"as", f(parts.a)}, {"bs", f(parts.b)}, {"ys", f(parts.y)}, {"z", s8(parts.z)}});
}

TEST(Lower, ComputesAnOverflowingMaskAsTheFileDoes) {
  // float32's lowest number, quantized symmetrically: -127 * 2.6793887e36 is -inf, which saturates to -128.
  const Model model = extreme({"Add (a, b)", 0.1F, 2.6793887e36F, 2.6793887e36F});
  EXPECT_EQ(reason(model, "t"), "DequantizeLinear of m overflows: (-128 - 0) * 2.6793887e+36 is infinite in float32");
  EXPECT_EQ(operators_of(lowered(extreme({"Add (a, b)", 0.1F, 1e36F, 1e36F}), Policy::kExact)), (Names{"QLinearAdd"}));
}

TEST(Lower, FusesOnlyWhereTheFloatFormStaysInsideFloat32) {
  const auto why = [](const ExtremeParts& parts) { return reason(extreme(parts), "t"); };
  // Each number alone is finite; their sum, product or average is not.
  EXPECT_EQ(why({"Add (a, b)", 2e36F, 2e36F, 1e36F}), "sums go up to 5.12e+38: the float form may overflow");
  EXPECT_EQ(why({"MatMul (a, b)", 1e20F, 1e15F, 1e30F}),
            "sums in units of 1e+35 (the product of the scales) go up to 2.79e+49: the float form may overflow");
  EXPECT_EQ(why({"Conv (a, b)", 1e20F, 1e15F, 1e30F}),
            "sums in units of 1e+35 (the product of the scales) go up to 2.79e+49: the float form may overflow");
  EXPECT_EQ(why({"AveragePool <kernel_shape: ints = [1, 1]> (a)", 1e30F, 1, 1e30F}),
            "sums go up to 5.5e+41: the float form may overflow");
  EXPECT_EQ(why({"GlobalAveragePool (a)", 1, 1, 1e30F}),
            "y_scale * elements goes up to 4.29e+39: the float form may overflow");
  // Products that have lost digits, where they are not lost in the result too.
  EXPECT_EQ(why({"Mul (a, b)", 1e-20F, 1e-20F, 1e-37F}),
            "the product of the scales 1e-40 is too small for float32 to hold with all digits");
  EXPECT_EQ(why({"MatMul (a, b)", 1e-20F, 1e-20F, 1e-37F}),
            "the product of the scales 1e-40 is too small for float32 to hold with all digits");
  EXPECT_EQ(why({"Add (a, b)", 1e-40F, 1e-40F, 1e-40F}),
            "y_scale 1e-40 is too small for float32 to hold with all digits");
  // A multiplier that is infinite makes NaN of a sum that is 0.
  EXPECT_EQ(why({"MatMul (a, b)", 1e5F, 1e5F, 1.5e-38F}),
            "the multiplier 10000000000 / 1.5e-38 is infinite in float32");
  // Kernels that make an int32 of the quotient before they saturate.
  EXPECT_EQ(why({"Add (a, b)", 1e5F, 1, 1e-5F}),
            "in units of y_scale 1e-05 the result reaches 1.28e+12, more than int32 holds");
  EXPECT_EQ(why({"Mul (a, b)", 1e5F, 1, 1e-5F}),
            "in units of y_scale 1e-05 the result reaches 1.64e+14, more than int32 holds");
  EXPECT_EQ(why({"AveragePool <kernel_shape: ints = [1, 1]> (a)", 1e5F, 1, 1e-5F}),
            "x_scale / y_scale is 10000000000, and ONNX Runtime averages from 2^-12 to 256 only");
  EXPECT_EQ(why({"GlobalAveragePool (a)", 1, 1, 5000}),
            "x_scale / y_scale is 0.0002, and ONNX Runtime averages from 2^-12 to 256 only");
}

TEST(Lower, FusesAChannelWhoseProductsVanish) {
  EXPECT_EQ(operators_of(lowered(extreme({"MatMul (a, b)", 0.1F, 1.17549435e-38F, 0.1F}), Policy::kExact)),
            (Names{"QLinearMatMul"}));
  EXPECT_EQ(operators_of(lowered(extreme({"Mul (a, b)", 0.1F, 1e-40F, 0.1F}), Policy::kExact)), (Names{"QLinearMul"}));
}

TEST(Lower, MovesOnlyBytesThatComeBack) {
  const Names rescaled = {"MaxPool", "Cast", "Gather"};
  const std::string op = "MaxPool <kernel_shape: ints = [1, 1]> (b)";
  EXPECT_EQ(operators_of(lowered(extreme({op, 1, 2.6793887e36F, 2.6793887e36F}), Policy::kExact)), rescaled);
  EXPECT_EQ(operators_of(lowered(extreme({op, 1, 2.6e36F, 2.6e36F}), Policy::kExact)), (Names{"MaxPool"}));
}

TEST(Lower, ClampsByNumbersOnly) {
  Model model = network(
      "main (x, m) => (y) { a = DequantizeLinear (x, s, z)\n b = DequantizeLinear (m, s, z)\n t = Add (a, b)\n"
      " r = Clip (t, low)\n y = QuantizeLinear (r, s, z) }",
      {value("x", DType::kInt8, SymbolicShape{2}), value("m", DType::kInt8, SymbolicShape{2})},
      {{"s", f(1)}, {"z", s8(0)}, {"low", f(std::numeric_limits<float>::quiet_NaN())}});
  EXPECT_EQ(reason(model, "t"), "a bound of r (Clip) is NaN");
}

TEST(Lower, MergesOnlyPairsThatAreInverse) {
  const auto steps = [](float read) {
    return operators_of(
        lowered(network("main (x) => (y) { q = QuantizeLinear (x, s, z)\n a = DequantizeLinear (q, r, z)\n"
                        " p = QuantizeLinear (a, t, z)\n y = DequantizeLinear (p, t, z) }",
                        {value("x", DType::kFloat, SymbolicShape{2})},
                        {{"s", f(1)}, {"r", f(read)}, {"t", f(2)}, {"z", u8(0)}}),
                Policy::kOnnxRuntime));
  };
  EXPECT_EQ(steps(1), (Names{"QuantizeLinear", "DequantizeLinear"}));
  EXPECT_EQ(steps(3).size(), 4U);
}

TEST(Lower, MergesAPairWithSeveralReadersWhereAllAreInverse) {
  const auto steps = [](float other) {
    return operators_of(lowered(
        network("main (x) => (y, w) { q = QuantizeLinear (x, s, z)\n a = DequantizeLinear (q, s, z)\n"
                " p = QuantizeLinear (a, t, z)\n y = DequantizeLinear (p, t, z)\n w = DequantizeLinear (p, u, z) }",
                {value("x", DType::kFloat, SymbolicShape{2})},
                {{"s", f(1)}, {"t", f(2)}, {"u", f(other)}, {"z", u8(0)}}),
        Policy::kOnnxRuntime));
  };
  EXPECT_EQ(steps(2), (Names{"QuantizeLinear", "DequantizeLinear", "DequantizeLinear"}));
  EXPECT_EQ(steps(3).size(), 5U);
}

TEST(Lower, MergesNoPairWhoseIntegersAreAnOutput) {
  const Program program =
      lowered(network("main (x) => (y, p) { q = QuantizeLinear (x, s, z)\n a = DequantizeLinear (q, s, z)\n"
                      " p = QuantizeLinear (a, t, z)\n y = DequantizeLinear (p, t, z) }",
                      {value("x", DType::kFloat, SymbolicShape{2})}, {{"s", f(1)}, {"t", f(2)}, {"z", u8(0)}}),
              Policy::kOnnxRuntime);
  EXPECT_EQ(operators_of(program).size(), 4U);
}

TEST(Lower, MakesPairsOfOneZeroPointUnsigned) {
  const auto type = [](std::int8_t read) {
    const Program program =
        lowered(network("main (x) => (y) { q = QuantizeLinear (x, s, z)\n y = DequantizeLinear (q, s, r) }",
                        {value("x", DType::kFloat, SymbolicShape{2})}, {{"s", f(1)}, {"z", s8(3)}, {"r", s8(read)}}),
                Policy::kOnnxRuntime);
    return program.values[program.steps[0].operations[0].outputs[0]].dtype;
  };
  EXPECT_EQ(type(3), DType::kUint8);
  EXPECT_EQ(type(4), DType::kInt8);
}

TEST(Lower, SeesWeightsThroughWhatMovesThem) {
  // [3, 2] with a scale for each row, which a Transpose makes a column.
  const auto product = [](const std::string& move) {
    return lowered(network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n"
                           " w = DequantizeLinear <axis: int = 0> (wq, ws, wz)\n m = " +
                               move + "\n t = MatMul (a, m)\n y = QuantizeLinear (t, s, z) }",
                           {value("x", DType::kInt8, SymbolicShape{1, 2})},
                           {{"s", f(1)},
                            {"z", s8(0)},
                            {"wq", Tensor::from<std::int8_t>({3, 2}, {1, 2, 3, 4, 5, 6})},
                            {"shape", Tensor::from<std::int64_t>({2}, {2, 3})},
                            {"ws", Tensor::from<float>({3}, {1, 2, 4})},
                            {"wz", Tensor(DType::kInt8, {3})}}),
                   Policy::kExact);
  };
  const Program program = product("Transpose <perm: ints = [1, 0]> (w)");
  ASSERT_EQ(operators_of(program), (Names{"QLinearMatMul"}));
  EXPECT_EQ(sum_of(program.steps[0].work)->channels, 3);
  EXPECT_EQ(scaling_of(program.steps[0].work).multipliers, (std::vector<float>{1, 2, 4}));
  // A Reshape leaves no axis to the scales.
  EXPECT_EQ(operators_of(product("Reshape (w, shape)")).back(), "QuantizeLinear");
}

// Where nothing else comes to be in the result: a number that a Pad adds would have to be quantized.
TEST(Lower, SeesWeightsThroughEveryOperatorThatMovesThem) {
  const auto product = [](const std::string& move, Tensor second) {
    return operators_of(lowered(network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n"
                                        " w = DequantizeLinear (wq, s, wz)\n m = " +
                                            move + "\n t = MatMul (a, m)\n y = QuantizeLinear (t, s, z) }",
                                        {value("x", DType::kInt8, SymbolicShape{1, 2})},
                                        {{"s", f(1)},
                                         {"z", s8(0)},
                                         {"wq", Tensor::from<std::int8_t>({3, 2}, {1, 2, 3, 4, 5, 6})},
                                         {"wz", s8(2)},
                                         {"i", std::move(second)}}),
                                Policy::kExact));
  };
  EXPECT_EQ(product("GatherND (w, i)", Tensor::from<std::int64_t>({2, 1}, {2, 0})), (Names{"QLinearMatMul"}));
  const Names padded = product("Pad (w, i)", Tensor::from<std::int64_t>({4}, {0, 0, -1, 0}));
  EXPECT_EQ(std::ranges::count(padded, "Pad"), 1);
}

TEST(Lower, QuantizesWeightsBeforeTheRun) {
  const Program program =
      lowered(network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n q = QuantizeLinear (wf, s, z)\n"
                      " w = DequantizeLinear (q, s, z)\n t = MatMul (a, w)\n y = QuantizeLinear (t, s, z) }",
                      {value("x", DType::kInt8, SymbolicShape{1, 2})},
                      {{"s", f(0.5F)}, {"z", s8(0)}, {"wf", Tensor::from<float>({2, 1}, {1.0F, -3.25F})}}),
              Policy::kExact);
  ASSERT_EQ(operators_of(program), (Names{"QLinearMatMul"}));
  EXPECT_EQ(sum_of(program.steps[0].work)->weights.int_at(1), -6);  // -6.5, ties to even
}

TEST(Lower, MovesBytesWhereTheParametersAreEqual) {
  const Program program = lowered(around(" t = Transpose (a)\n"), Policy::kExact);
  EXPECT_EQ(operators_of(program), (Names{"Transpose"}));
  EXPECT_EQ(program.steps[0].kind, StepKind::kMove);
  EXPECT_EQ(program.values[program.outputs[0]].quantization, (Quantization{0.5F, 3}));
}

TEST(Lower, MovesBytesAndThenRescalesThem) {
  const Program program = lowered(around(" t = Transpose (a)\n", 0.25F), Policy::kExact);
  EXPECT_EQ(operators_of(program), (Names{"Transpose", "Cast", "Gather"}));
}

TEST(Lower, MakesATableOfElementwiseOperators) {
  const Program program = lowered(around(" s = Tanh (a)\n t = Neg (s)\n", 0.0078125F, 0), Policy::kExact);
  ASSERT_EQ(operators_of(program), (Names{"Cast", "Gather"}));
  ASSERT_EQ(program.steps.size(), 1U);
  const auto& table = std::get<work::Table>(program.steps[0].work);
  ASSERT_EQ(table.bytes.size(), 256U);
  EXPECT_EQ(table.bytes[3], 0);                                 // -tanh(0)
  EXPECT_EQ(static_cast<std::int8_t>(table.bytes[127]), -128);  // -tanh(62) / 2^-7
  EXPECT_EQ(static_cast<std::int8_t>(table.bytes[1]), 97);      // -tanh(-1) * 128 = 97.48
}

TEST(Lower, PullsQuantizeLinearBeforeAMove) {
  Model model = convolution({"m", " m = Transpose <perm: ints = [0, 1, 3, 2]> (t)\n"});
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact)), (Names{"QLinearConv", "Transpose"}));
}

TEST(Lower, MakesAReduceMaxOfPixelsAPool) {
  const auto largest = [](const std::string& attributes, int opset) {
    return network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n t = ReduceMax <" + attributes +
                       "> (a, axes)\n y = QuantizeLinear (t, s, z) }",
                   {value("x", DType::kInt8, SymbolicShape{1, 2, 3, 4})},
                   {{"s", f(0.5F)}, {"z", s8(3)}, {"axes", Tensor::from<std::int64_t>({2}, {2, -1})}}, opset);
  };
  const Program kept = lowered(largest("keepdims: int = 1", 18), Policy::kExact);
  ASSERT_EQ(operators_of(kept), (Names{"MaxPool"}));
  EXPECT_EQ(kept.steps[0].operations[0].attributes.get_ints("kernel_shape"), (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(operators_of(lowered(largest("keepdims: int = 0", 18), Policy::kExact)), (Names{"MaxPool", "Squeeze"}));
  EXPECT_EQ(operators_of(lowered(largest("keepdims: int = 1", 18), Policy::kOnnxRuntime)),
            (Names{"DequantizeLinear", "ReduceMax", "QuantizeLinear"}));
}

TEST(Lower, KeepsASoftmaxInFloatWhereExact) {
  const Model model = around(" t = Softmax (a)\n", 0.00390625F, -128);
  EXPECT_EQ(reason(model, "t"), "the integer softmax rounds its exponentials and 1 / y_scale: it is not exact");
  EXPECT_EQ(operators_of(lowered(model, Policy::kOnnxRuntime)), (Names{"QLinearSoftmax"}));
}

TEST(Lower, SaysWhichInputIsFloat) {
  Model model = around(" t = Add (a, c)\n");
  add_initializer(model, "c", Tensor(DType::kFloat, {2, 2}));
  EXPECT_EQ(reason(model, "t"), "c is float: it comes from a constant, not from DequantizeLinear");
}

TEST(Lower, SaysWhoElseReadsTheFloatResult) {
  Model model = around(" t = Add (a, a)\n");
  model.graph.outputs.push_back(value("t", DType::kFloat, std::nullopt));
  EXPECT_EQ(reason(model, "t"), "t is read by others in float");
}

TEST(Lower, DoesNotMixTypes) {
  Model model = network(
      "main (x, m) => (y) { a = DequantizeLinear (x, xs, xz)\n b = DequantizeLinear (m, xs, xz)\n"
      " t = Add (a, b)\n y = QuantizeLinear (t, xs, yz) }",
      {value("x", DType::kInt8, SymbolicShape{2}), value("m", DType::kInt8, SymbolicShape{2})},
      {{"xs", f(1)}, {"xz", s8(0)}, {"yz", u8(0)}});
  EXPECT_EQ(reason(model, "t"), "x is int8, and the result uint8: no kernel mixes them");
}

TEST(Lower, MakesOneStepOfADynamicProduct) {
  const Program program =
      lowered(network("main (x) => (y) { q, s, z = DynamicQuantizeLinear (x)\n i = MatMulInteger (q, w, z, wz)\n"
                      " c = Cast <to: int = 1> (i)\n p = Mul (s, ws)\n m = Mul (c, p)\n y = Add (m, b) }",
                      {value("x", DType::kFloat, SymbolicShape{2, 2})},
                      {{"w", Tensor::from<std::int8_t>({2, 1}, {1, 2})},
                       {"wz", s8(0)},
                       {"ws", f(0.5F)},
                       {"b", Tensor::from<float>({1}, {1.0F})}}),
              Policy::kExact);
  EXPECT_EQ(operators_of(program), (Names{"DynamicQuantizeLinear", "MatMulIntegerToFloat"}));
}

TEST(Lower, MakesOneStepOfADynamicConvolution) {
  const Program program =
      lowered(network("main (x) => (y) { q, s, z = DynamicQuantizeLinear (x)\n i = ConvInteger (q, w, z)\n"
                      " c = Cast <to: int = 1> (i)\n p = Mul (s, ws)\n y = Mul (c, p) }",
                      {value("x", DType::kFloat, SymbolicShape{1, 1, 2, 2})},
                      {{"w", Tensor::from<std::int8_t>({1, 1, 1, 1}, {3})}, {"ws", f(0.5F)}}),
              Policy::kExact);
  ASSERT_EQ(program.steps.size(), 2U);
  EXPECT_EQ(program.steps[1].kind, StepKind::kConvolution);
  EXPECT_EQ(program.steps[1].reason, "ConvInteger with Cast, Mul, Mul behind it");
}

TEST(Lower, WarnsOfBytesReadWithAnotherScale) {
  const Program program = lowered(
      network("main (x) => (y) { q = QuantizeLinear (x, a, z)\n m = Identity (q)\n y = DequantizeLinear (m, b, z) }",
              {value("x", DType::kFloat, SymbolicShape{2})}, {{"a", f(0.5F)}, {"b", f(0.25F)}, {"z", s8(0)}}),
      Policy::kAsWritten);
  ASSERT_EQ(program.steps[2].hazards.size(), 1U);
  EXPECT_EQ(program.steps[2].hazards[0],
            "m is written with scale 0.5, zero point 0, and read here with scale 0.25, zero point 0");
}

TEST(Lower, WarnsOfAccumulatorsThatCanWrap) {
  const std::int64_t k = 70000;
  Tensor w(DType::kInt8, {k, 1});
  for (std::int8_t& weight : w.mutable_as<std::int8_t>()) weight = 127;
  const Program program = lowered(
      network("main (x) => (y) { y = QLinearMatMul (x, s, xz, w, s, wz, s, xz) }",
              {value("x", DType::kUint8, SymbolicShape{1, k})}, {{"s", f(1)}, {"xz", u8(0)}, {"wz", s8(0)}, {"w", w}}),
      Policy::kExact);
  ASSERT_EQ(program.steps[0].hazards.size(), 1U);
  EXPECT_EQ(program.steps[0].hazards[0],
            "accumulators can reach 0 and 2266950000: 32 bits are not enough, and they wrap");
}

// Every operator of the standard that is neither integer itself nor a move, between DequantizeLinear and QuantizeLinear
// and between float neighbours, where its shape rule takes tensors of any shape.
TEST(Lower, SaysOfEveryFloatStepWhyItIsOne) {
  constexpr int kOpset = 21;
  std::size_t tried = 0, float_steps = 0;
  for (const Operator* op : operators()) {
    if (!op->domain.empty() || op->kind || op->versions.front() > kOpset) continue;
    for (const bool quantized : {true, false}) {
      Node node{.name = "t", .op_type = std::string(op->name), .inputs = {}, .outputs = {"t"}};
      Model model = network("main (x) => (y) { a = DequantizeLinear (x, s, z) }",
                            {value("x", DType::kInt8, std::nullopt), value("f", DType::kFloat, std::nullopt)},
                            {{"s", f(1)}, {"z", s8(0)}}, kOpset);
      for (const Parameter& parameter : signature_of(*op, kOpset).inputs)
        if (!parameter.optional) node.inputs.push_back(quantized ? "a" : "f");
      node.attributes.set("kernel_shape", std::vector<std::int64_t>{1, 1});
      node.attributes.set("axis", std::int64_t{0});
      node.attributes.set("perm", std::vector<std::int64_t>{0, 1});
      model.graph.nodes.push_back(node);
      Node last{.name = "y", .op_type = "QuantizeLinear", .inputs = {"t", "s", "z"}, .outputs = {"y"}};
      if (!quantized) last = {.name = "y", .op_type = "Identity", .inputs = {"t"}, .outputs = {"y"}};
      model.graph.nodes.push_back(last);
      for (const Policy policy : {Policy::kExact, Policy::kOnnxRuntime}) {
        try {
          const Program program = lowered(model, policy);
          ++tried;
          for (const Step& step : program.steps) {
            float_steps += step.kind == StepKind::kFloat;
            EXPECT_FALSE(step.kind == StepKind::kFloat && step.reason.empty()) << op->name << " as " << step.name;
          }
        } catch (const Error&) {
          continue;  // it wants something else
        }
      }
    }
  }
  EXPECT_GT(tried, 300U);
  EXPECT_GT(float_steps, 250U);
}

TEST(Lower, SaysWhatKeepsRecurrentLayersInFloat) {
  EXPECT_EQ(reason(network("main (x, w, r) => (y) { d = DequantizeLinear (w, s)\n e = DequantizeLinear (r, s)\n"
                           " y = GRU <hidden_size: int = 2> (x, d, e) }",
                           {value("x", DType::kFloat, SymbolicShape{1, 1, 3}),
                            value("w", DType::kInt8, SymbolicShape{1, 6, 3}),
                            value("r", DType::kInt8, SymbolicShape{1, 6, 2})},
                           {{"s", f(1)}}, 21),
                   "y"),
            "GRU adds up the products of x and of its state inside the operator: the state is float from step to step, "
            "and no input takes the sums of x");
}

TEST(Lower, SaysWhyNoPatternWasTried) {
  const auto why = [](const std::string& body, const std::string& of) {
    return reason(network("main (x, g) => (y) { a = DequantizeLinear (x, s, z)\n" + body + " }",
                          {value("x", DType::kInt8, SymbolicShape{2, 3}), value("g", DType::kFloat, SymbolicShape{3})},
                          {{"s", f(1)},
                           {"two", f(2)},
                           {"half", f(0.5F)},
                           {"endless", f(-std::numeric_limits<float>::infinity())},
                           {"z", s8(0)},
                           {"wq", Tensor::from<std::int8_t>({3, 1}, {1, 2, 3})},
                           {"pads", Tensor::from<std::int64_t>({4}, {1, 0, 0, 1})},
                           {"axes", Tensor::from<std::int64_t>({1}, {1})}},
                          21),
                  of);
  };
  EXPECT_EQ(why("t = ReduceL2 (a, axes)\n y = QuantizeLinear (t, s, z)", "t"),
            "there is no exact integer step for ReduceL2");
  EXPECT_EQ(why("t = ReduceMax (a, axes)\n y = QuantizeLinear (t, s, z)", "t"),
            "of ReduceMax, integers have the largest of all pixels of a channel alone: a MaxPool, from opset 12 on");
  EXPECT_EQ(why("t = Pad (a, pads, endless)\n y = QuantizeLinear (t, s, z)", "t"),
            "what it adds is computed, or not finite");
  EXPECT_EQ(why("t = Pad (a, pads, half)\n y = QuantizeLinear (t, two, z)", "t"),
            "what it adds, 0.5, is not one of the numbers that its integers stand for");
  EXPECT_EQ(why("m = LayerNormalization (a, g)\n w = DequantizeLinear (wq, s)\n y = MatMul (m, w)", "y"),
            "only its weights are quantized: m is float");
  EXPECT_EQ(why("y = ReduceMean (a, axes)", "y"), "y is wanted in float");
  EXPECT_EQ(why("t = ReduceMean (a, axes)\n y = Exp (t)", "t"), "t is read in float by y (Exp)");
  EXPECT_EQ(why("t = PRelu (a, g)\n y = QuantizeLinear (t, s, z)", "t"),
            "g is float: it comes from a graph input, not from DequantizeLinear");
}

TEST(Lower, CountsTheBytesOfConstants) {
  Program program = lowered(convolution(), Policy::kAsWritten);
  EXPECT_EQ(constant_bytes(program), 4 + 1 + 4 + 8 + 2 + 8 + 8 + 4 + 1);
  program.values.push_back({.name = "more", .dtype = DType::kFloat, .constant = Tensor(DType::kFloat, {5})});
  EXPECT_EQ(constant_bytes(program), 40 + 20);
}

TEST(Lower, RefusesNodesThatLackWhatTheirOperatorsWant) {
  Model model = around(" t = Transpose (a)\n");
  model.graph.nodes[0].inputs.resize(1);
  EXPECT_EQ(failure_of([&] { lowered(model, Policy::kExact); }).where(), "a (DequantizeLinear)");
  model = around(" t = Transpose (a)\n");
  model.graph.nodes.push_back({.op_type = "Relu", .inputs = {"t"}});
  EXPECT_STREQ(failure_of([&] { lowered(model, Policy::kExact); }).what(), "Relu: output Y is missing");
}

// What becomes of a matrix product of uint8 [1, k], zero point 0, by int8 weights that are all the same; or why not.
struct LongProduct {
  std::int64_t k;
  std::int8_t weight = 127;
  float y_scale = 1e6F;
  std::int32_t bias = 0;
  std::int64_t columns = 1;  // that have this bias

  std::string lowered_to() const {
    Tensor weights(DType::kInt8, {k, columns});
    for (std::int8_t& one : weights.mutable_as<std::int8_t>()) one = weight;
    const Program program =
        lowered(network("main (x) => (y) { a = DequantizeLinear (x, s, z)\n b = DequantizeLinear (w, s)\n"
                        " c = DequantizeLinear (i, s)\n t = Gemm (a, b, c)\n y = QuantizeLinear (t, ys, z) }",
                        {value("x", DType::kUint8, SymbolicShape{1, k})},
                        {{"s", f(1)},
                         {"ys", f(y_scale)},
                         {"z", u8(0)},
                         {"w", weights},
                         {"i", Tensor::from<std::int32_t>({1}, {bias})}}),
                Policy::kExact);
    return program.steps.size() == 1 ? std::string(program.steps[0].operations[0].op->name)
                                     : step_of(program, "t").reason;
  }
};

TEST(Lower, KeepsSumsInFloatThatInt32DoesNotHold) {
  EXPECT_EQ((LongProduct{66311}).lowered_to(), "QGemm");  // 66311 * 255 * 127 = 2147481735
  EXPECT_EQ((LongProduct{66312}).lowered_to(), "sums of 66312 products go from 0 to 2147514120: int32 is not enough");
  EXPECT_EQ((LongProduct{1 << 20, 8}).lowered_to(), "QGemm");
  EXPECT_EQ((LongProduct{1 << 20, 9}).lowered_to(),
            "sums of 1048576 products go from 0 to 2406481920: int32 is not enough");
  EXPECT_EQ((LongProduct{66311, 127, 1e6F, 1912}).lowered_to(), "QGemm");
  EXPECT_EQ((LongProduct{66311, -127, 1e6F, -1913, 2}).lowered_to(), "QGemm");
  EXPECT_NE((LongProduct{66311, -127, 1e6F, -1914, 2}).lowered_to(), "QGemm");
  // The bias may be added behind the sum, in float.
  EXPECT_EQ(
      (LongProduct{66311, 127, 1e6F, 1913}).lowered_to(),
      "Gemm behind DequantizeLinear, its sum scaled to float, not to integers: sums of 66311 products go from 0 to "
      "2147483648: int32 is not enough");
}

TEST(Lower, KeepsSumsInFloatWhoseRoundingsWouldShow) {
  EXPECT_EQ((LongProduct{64, 1, 1.0009765625F}).lowered_to(), "QGemm");  // less than a step
  EXPECT_EQ((LongProduct{64, 1, 1}).lowered_to(),
            "a unit of its sum is 1 steps of the result: the roundings of the float form decide it");
  // (4 + 8) 2^-24 * 4 * 255 * 128 = 0.0934
  EXPECT_EQ((LongProduct{4, 1, 1.0F / 8}).lowered_to(), "QGemm");
  EXPECT_EQ((LongProduct{4, 1, 1.0F / 16}).lowered_to(),
            "a unit of its sum is 16 steps of the result: the roundings of the float form decide it");
}

// DequantizeLinear of a constant behind a Gather, and its zero points.
Model gathered_weights(Tensor zero_points) {
  return network(
      "main (x) => (y) { w = DequantizeLinear <axis: int = 0> (q, s, z)\n g = Gather (w, i)\n y = Add (x, g) }",
      {value("x", DType::kFloat, SymbolicShape{2, 2})},
      {{"q", Tensor::from<std::int8_t>({3, 2}, {1, 2, 3, 4, 5, 6})},
       {"s", Tensor::from<float>({3}, {1, 2, 3})},
       {"z", std::move(zero_points)},
       {"i", Tensor::from<std::int64_t>({2}, {2, 0})}});
}

TEST(Lower, BlamesDequantizeLinearForItsZeroPoint) {
  const Error error = failure_of([] {
    lowered(gathered_weights(Tensor::from<std::int8_t>({2}, {0, 0})), Policy::kExact);
  });
  EXPECT_EQ(error.where(), "w (DequantizeLinear)");
  EXPECT_EQ(error.constraint(), "dequantize_linear_c4");
  EXPECT_NO_THROW(lowered(gathered_weights(Tensor::from<std::int8_t>({3}, {0, 0, 0})), Policy::kExact));
}

TEST(Lower, LeavesItsPolicyInTheProgram) {
  for (const Policy policy : {Policy::kAsWritten, Policy::kExact, Policy::kOnnxRuntime})
    EXPECT_EQ(lowered(convolution(), policy).policy, policy);
}

TEST(Lower, KnowsItsPoliciesByName) {
  for (const Policy policy : {Policy::kAsWritten, Policy::kExact, Policy::kOnnxRuntime})
    EXPECT_EQ(policy_named(name(policy)), policy);
  EXPECT_EQ(failure_of([] { policy_named("fast"); }).code(), ErrorCode::kUsage);
}

// Softmax of a function in opset 11 flattens, axis 1 unless said, whatever the opset of the model.
TEST(Lower, FusesASoftmaxOfItsOwnOpset) {
  Model model = around(" t = Softmax (a)\n", 0.00390625F, -128);
  model.graph.nodes[1].opset = 11;
  const Program program = lowered(model, Policy::kOnnxRuntime);
  ASSERT_EQ(operators_of(program), (Names{"QLinearSoftmax"}));
  const Attributes& attributes = program.steps[0].operations[0].attributes;
  EXPECT_EQ(attributes.get_int("opset", 0), 11);
  EXPECT_EQ(attributes.get_int("axis", 0), 1);
}

// Bounds in attributes say nothing from opset 11 on, where they are inputs.
TEST(Lower, ReadsTheBoundsOfAClipWhereItsOpsetHasThem) {
  Model model = convolution({"r", " r = Clip <min: float = 0.0, max: float = 2.0> (t)\n", 0.125F, -128});
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact)), (Names{"QLinearConv"}));
  for (Node& node : model.graph.nodes)
    if (node.op_type == "Clip") node.opset = 10;
  const Program clipped = lowered(model, Policy::kExact);
  EXPECT_EQ(operators_of(clipped), (Names{"QLinearConv", "Clip"}));
}

}  // namespace
}  // namespace octet
