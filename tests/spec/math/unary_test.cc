// Operators y[i] = f(x[i]).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Of float32, in the newest opset.
Floats apply_unary(std::string_view name, const Floats& x, const AttributeList& attributes = {}) {
  const Tensor input = Tensor::from<float>({static_cast<std::int64_t>(x.size())}, x);
  return values<float>(run_operator(name, kNewestOpset, attributes, {input})[0]);
}

void expect_near(const Floats& got, const Floats& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], want[k], 1e-6) << "at " << k;
}

TEST(Unary, ComputesWhatIsExact) {
  EXPECT_EQ(apply_unary("Relu", {-1, 0, 2}), (Floats{0, 0, 2}));
  EXPECT_EQ(apply_unary("Abs", {-1.5F, 0, 2}), (Floats{1.5F, 0, 2}));
  EXPECT_EQ(apply_unary("Neg", {-1.5F, 0, 2}), (Floats{1.5F, -0.0F, -2}));
  EXPECT_EQ(apply_unary("Sign", {-1.5F, 0, 2}), (Floats{-1, 0, 1}));
  EXPECT_EQ(apply_unary("Floor", {-1.5F, 1.5F, 2}), (Floats{-2, 1, 2}));
  EXPECT_EQ(apply_unary("Ceil", {-1.5F, 1.5F, 2}), (Floats{-1, 2, 2}));
  EXPECT_EQ(apply_unary("Sqrt", {0, 4, 2.25F}), (Floats{0, 2, 1.5F}));
  EXPECT_EQ(apply_unary("Reciprocal", {-2, 4, 0}), (Floats{-0.5F, 0.25F, kInfinity}));
  EXPECT_EQ(apply_unary("Softsign", {-1, 0, 3}), (Floats{-0.5F, 0, 0.75F}));
  EXPECT_EQ(apply_unary("HardSwish", {-4, 0, 1.5F, 4}), (Floats{-0.0F, 0, 1.125F, 4}));
}

TEST(Unary, ComputesWhatLibmComputes) {
  expect_near(apply_unary("Exp", {-1, 0, 1}), {0.36787944F, 1, 2.7182817F});
  expect_near(apply_unary("Log", {1, 2}), {0, 0.6931472F});
  expect_near(apply_unary("Erf", {-1, 0, 0.5F}), {-0.8427008F, 0, 0.5204999F});
  expect_near(apply_unary("Tanh", {-1, 0, 1}), {-0.7615942F, 0, 0.7615942F});
  expect_near(apply_unary("Sin", {0, 1}), {0, 0.8414710F});
  expect_near(apply_unary("Cos", {0, 1}), {1, 0.5403023F});
  expect_near(apply_unary("Tan", {0, 1}), {0, 1.5574077F});
  expect_near(apply_unary("Asin", {0, 1}), {0, 1.5707963F});
  expect_near(apply_unary("Acos", {0, 1}), {1.5707963F, 0});
  expect_near(apply_unary("Atan", {0, 1}), {0, 0.7853982F});
  expect_near(apply_unary("Sinh", {0, 1}), {0, 1.1752012F});
  expect_near(apply_unary("Cosh", {0, 1}), {1, 1.5430806F});
  expect_near(apply_unary("Asinh", {0, 1}), {0, 0.8813736F});
  expect_near(apply_unary("Acosh", {1, 2}), {0, 1.3169579F});
  expect_near(apply_unary("Atanh", {0, 0.5F}), {0, 0.5493061F});
  expect_near(apply_unary("Softplus", {-100, 0, 1, 100}), {0, 0.6931472F, 1.3132617F, 100});
  expect_near(apply_unary("Mish", {-1, 0, 1}), {-0.3034015F, 0, 0.8650984F});
}

TEST(Unary, ReadsItsParametersFromAttributes) {
  EXPECT_EQ(apply_unary("LeakyRelu", {-2, 3}, {{"alpha", 0.5F}}), (Floats{-1, 3}));
  EXPECT_EQ(apply_unary("LeakyRelu", {-2, 3}), (Floats{-0.02F, 3}));
  EXPECT_EQ(apply_unary("ThresholdedRelu", {0.5F, 1, 2}), (Floats{0, 0, 2}));
  EXPECT_EQ(apply_unary("ThresholdedRelu", {0.5F, 1, 2}, {{"alpha", 0.25F}}), (Floats{0.5F, 1, 2}));
  EXPECT_EQ(apply_unary("HardSigmoid", {-2, 0, 2}, {{"alpha", 0.25F}, {"beta", 0.25F}}), (Floats{0, 0.25F, 0.75F}));
  EXPECT_EQ(apply_unary("HardSigmoid", {-3, 0, 3}), (Floats{0, 0.5F, 1}));
  expect_near(apply_unary("Elu", {-1, 1}, {{"alpha", 2.0F}}), {-1.2642411F, 1});
  expect_near(apply_unary("Celu", {-1, 1}, {{"alpha", 2.0F}}), {-0.7869387F, 1});
  expect_near(apply_unary("Selu", {-1, 1}), {-1.1113307F, 1.0507010F});
  expect_near(apply_unary("Selu", {-1, 1}, {{"alpha", 2.0F}, {"gamma", 3.0F}}), {-3.7927234F, 3});
  expect_near(apply_unary("Swish", {-1, 1}), {-0.2689414F, 0.7310586F});
  expect_near(apply_unary("Swish", {-1, 1}, {{"alpha", 2.0F}}), {-0.1192029F, 0.8807971F});
}

TEST(Unary, NaNStaysNaN) {
  for (const char* name : {"Relu", "Abs", "Neg", "Sign", "Round", "Sigmoid", "Elu", "Selu", "LeakyRelu", "Softplus",
                           "Celu", "HardSigmoid", "HardSwish"})
    EXPECT_TRUE(std::isnan(apply_unary(name, {kNaN})[0])) << name;
}

TEST(Round, BreaksTiesToEven) {
  EXPECT_EQ(apply_unary("Round", {-2.5F, -1.5F, 0.4F, 0.5F, 1.5F, 2.5F}), (Floats{-2, -2, 0, 0, 2, 2}));
}

TEST(Round, KeepsWhatHasNoFraction) {
  EXPECT_EQ(apply_unary("Round", {8388609, 3e38F, kInfinity, -kInfinity}),
            (Floats{8388609, 3e38F, kInfinity, -kInfinity}));
  EXPECT_TRUE(std::signbit(apply_unary("Round", {-0.25F})[0]));
}

// Values printed by ONNX Runtime, to the last bit.
TEST(Sigmoid, EqualsOnnxRuntimeInFloat32) {
  EXPECT_EQ(apply_unary("Sigmoid", {0, 1, -1, 5, -10.5F, 20, -20, kInfinity, -kInfinity}),
            (Floats{0.5F, 0.7310586F, 0.26894143F, 0.9933071F, 2.7477741e-05F, 1, 0, 1, 0}));
}

TEST(Sigmoid, IsTheLogisticFunctionInFloat64) {
  const Tensor y = run_operator("Sigmoid", 13, {}, {Tensor::from<double>({2}, {-30.0, 1.0})})[0];
  EXPECT_NEAR(y.as<double>()[0], 9.357622968839299e-14, 1e-28);
  EXPECT_NEAR(y.as<double>()[1], 0.7310585786300049, 1e-15);
}

TEST(Gelu, IsExactOrByTanh) {
  expect_near(apply_unary("Gelu", {-1, 0, 1}), {-0.1586553F, 0, 0.8413447F});
  expect_near(apply_unary("Gelu", {-1, 0, 1}, {{"approximate", std::string("tanh")}}), {-0.1588080F, 0, 0.8411920F});
}

TEST(Unary, IntegersWrap) {
  const Tensor x = Tensor::from<std::int8_t>({3}, {-128, -1, 127});
  EXPECT_EQ(values<std::int8_t>(run_operator("Abs", 13, {}, {x})[0]), (std::vector<std::int8_t>{-128, 1, 127}));
  EXPECT_EQ(values<std::int8_t>(run_operator("Neg", 13, {}, {x})[0]), (std::vector<std::int8_t>{-128, 1, -127}));
  EXPECT_EQ(values<std::int8_t>(run_operator("Sign", 13, {}, {x})[0]), (std::vector<std::int8_t>{-1, -1, 1}));
  EXPECT_EQ(values<std::int8_t>(run_operator("Relu", 14, {}, {x})[0]), (std::vector<std::int8_t>{0, 0, 127}));
  const Tensor u = Tensor::from<std::uint64_t>({2}, {0, 18446744073709551615U});
  EXPECT_EQ(values<std::uint64_t>(run_operator("Abs", 13, {}, {u})[0]), values<std::uint64_t>(u));
  EXPECT_EQ(values<std::uint64_t>(run_operator("Sign", 13, {}, {u})[0]), (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(values<std::int8_t>(run_operator("BitwiseNot", 18, {}, {x})[0]), (std::vector<std::int8_t>{127, 0, -128}));
}

// Expected numbers are ONNX Runtime's: an unsigned type has no -lambd of its own.
TEST(Shrink, ComparesIntegersAsReals) {
  const AttributeList attributes = {{"lambd", 1.5F}, {"bias", 1.0F}};
  const Tensor u = Tensor::from<std::uint8_t>({4}, {0, 1, 2, 200}), s = Tensor::from<std::int8_t>({4}, {-2, -1, 1, 2});
  EXPECT_EQ(values<std::uint8_t>(run_operator("Shrink", 9, attributes, {u})[0]),
            (std::vector<std::uint8_t>{0, 0, 1, 199}));
  EXPECT_EQ(values<std::int8_t>(run_operator("Shrink", 9, attributes, {s})[0]),
            (std::vector<std::int8_t>{-1, 0, 0, 1}));
}

TEST(Unary, HalvesAreRoundedOnce) {
  const Tensor x = convert(Tensor::from<float>({2}, {1, -2}), DType::kBFloat16);
  const Tensor y = run_operator("Exp", 13, {}, {x})[0];
  EXPECT_EQ(y.dtype(), DType::kBFloat16);
  EXPECT_EQ(y.number_at(0), 2.71875);
}

TEST(Not, Negates) {
  const Tensor y = run_operator("Not", 1, {}, {Tensor::from<bool>({2}, {true, false})})[0];
  EXPECT_EQ(values<bool>(y), (std::vector<bool>{false, true}));
}

TEST(IsNaN, FindsNaN) {
  const Tensor y = run_operator("IsNaN", 20, {}, {Tensor::from<float>({3}, {kNaN, kInfinity, 0})})[0];
  EXPECT_EQ(values<bool>(y), (std::vector<bool>{true, false, false}));
}

TEST(IsInf, FindsTheInfinitiesAskedFor) {
  const Tensor x = Tensor::from<float>({4}, {-kInfinity, 0, kNaN, kInfinity});
  EXPECT_EQ(values<bool>(run_operator("IsInf", 10, {}, {x})[0]), (std::vector<bool>{true, false, false, true}));
  EXPECT_EQ(values<bool>(run_operator("IsInf", 20, {{"detect_negative", 0L}}, {x})[0]),
            (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(values<bool>(run_operator("IsInf", 20, {{"detect_positive", 0L}}, {x})[0]),
            (std::vector<bool>{true, false, false, false}));
}

TEST(Unary, RefusesOtherTypes) {
  const Tensor ints(DType::kInt32, {1}), strings(DType::kString, {1});
  for (const char* name : {"Abs",
                           "Acos",
                           "Acosh",
                           "Asin",
                           "Asinh",
                           "Atan",
                           "Atanh",
                           "BitwiseNot",
                           "Ceil",
                           "Celu",
                           "Clip",
                           "Cos",
                           "Cosh",
                           "Elu",
                           "Erf",
                           "Exp",
                           "Floor",
                           "Gelu",
                           "HardSigmoid",
                           "HardSwish",
                           "IsInf",
                           "IsNaN",
                           "LeakyRelu",
                           "Log",
                           "Mish",
                           "Neg",
                           "Not",
                           "Pow",
                           "Reciprocal",
                           "Relu",
                           "Round",
                           "Selu",
                           "Sigmoid",
                           "Sign",
                           "Sin",
                           "Sinh",
                           "Softplus",
                           "Softsign",
                           "Sqrt",
                           "Swish",
                           "Tan",
                           "Tanh",
                           "ThresholdedRelu"})
    EXPECT_EQ(broken_constraint(name, kNewestOpset, {}, {strings}), find_operator("", name)->constraints[0].label);
  EXPECT_EQ(broken_constraint("Sin", 22, {}, {ints}), "sin_c1");
  EXPECT_EQ(broken_constraint("Gelu", 20, {{"approximate", std::string("fast")}}, {Tensor(DType::kFloat, {1})}),
            "gelu_c2");
}

TEST(Unary, KeepsTheShapeAsFarAsItIsKnown) {
  const SymbolicShape shape = {Dim::symbol("N"), 3, Dim()};
  EXPECT_EQ(infer_operator("Relu", 14, {}, {fact(DType::kFloat16, shape)}).shape, shape);
  EXPECT_EQ(infer_operator("Relu", 14, {}, {fact(DType::kFloat, std::nullopt)}).shape, std::nullopt);
}

}  // namespace
}  // namespace octet
