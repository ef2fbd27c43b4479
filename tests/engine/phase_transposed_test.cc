#include <gtest/gtest.h>

#include "octet/engine/reference_engine.h"
#include "tests/program/networks.h"

namespace octet {
namespace {

struct TransposedParts {
  std::string attributes = "strides: ints = [2, 2]";
  std::string behind = "t";  // what QuantizeLinear reads
  std::string clamp = {};    // a node from t to it
  float bias_scale = 0.125F;
  Shape weights = {2, 2, 3, 3};
};

// int8 [1,2,2,3] with scales 0.5 and {0.25, 0.5}, a bias of int32.
Model transposed(const TransposedParts& parts = {}) {
  Tensor weights(DType::kInt8, parts.weights);
  for (std::size_t k = 0; k < static_cast<std::size_t>(weights.size()); ++k)
    weights.mutable_as<std::int8_t>()[k] = static_cast<std::int8_t>(7 * k % 23 - 11);
  return network(
      "main (x) => (y) { a = DequantizeLinear (x, xs, xz)\n w = DequantizeLinear <axis: int = 1> (wq, ws, wz)\n"
      " b = DequantizeLinear <axis: int = 0> (bq, bs)\n t = ConvTranspose <" +
          parts.attributes + "> (a, w, b)\n" + parts.clamp + " y = QuantizeLinear (" + parts.behind + ", ys, yz) }",
      {value("x", DType::kInt8, SymbolicShape{1, 2, 2, 3})},
      {{"xs", f(0.5F)},
       {"xz", s8(3)},
       {"wq", weights},
       {"ws", Tensor::from<float>({2}, {0.25F, 0.5F})},
       {"wz", Tensor::from<std::int8_t>({2}, {0, 0})},
       {"bq", Tensor::from<std::int32_t>({2}, {10, -20})},
       {"bs", Tensor::from<float>({2}, {parts.bias_scale, 0.25F})},
       {"ys", f(1)},
       {"yz", s8(-4)}});
}

const Names kMoved = {"QLinearConv", "Reshape", "Transpose", "Reshape", "Slice"};

Tensor result_of(const Model& model, Policy policy) {
  Tensor x(DType::kInt8, {1, 2, 2, 3});
  for (std::size_t k = 0; k < 12; ++k) x.mutable_as<std::int8_t>()[k] = static_cast<std::int8_t>(29 * k % 97 - 40);
  return ReferenceEngine(lowered(model, policy), {.threads = 1}).run({{"x", x}}).at("y");
}

// Scales are powers of two: float sums are exact.
void expect_as_written(const TransposedParts& parts, const Names& operators) {
  const Model model = transposed(parts);
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact)), operators) << parts.attributes;
  EXPECT_EQ(result_of(model, Policy::kExact).to_ints(), result_of(model, Policy::kAsWritten).to_ints())
      << parts.attributes;
}

TEST(PhaseTransposed, MakesAConvolutionOfEachPhase) {
  expect_as_written({}, kMoved);
  expect_as_written({"strides: ints = [2, 3], pads: ints = [1, 0, 0, 1]"}, kMoved);
  expect_as_written({"strides: ints = [2, 2], pads: ints = [1, 1, 1, 1], output_padding: ints = [1, 1]"}, kMoved);
  expect_as_written({"strides: ints = [3, 3], output_padding: ints = [2, 2]", "t", "", 0.125F, {2, 2, 1, 1}}, kMoved);
  expect_as_written({"strides: ints = [2, 2], output_shape: ints = [4, 6]"}, kMoved);
  expect_as_written({"strides: ints = [1, 1], pads: ints = [1, 1, 1, 1]"}, {"QLinearConv", "Slice"});
}

TEST(PhaseTransposed, AddsNoProductWhereTheStridesDivideTheKernel) {
  const Program program =
      lowered(transposed({"strides: ints = [2, 2]", "t", "", 0.125F, {2, 2, 2, 2}}), Policy::kExact);
  const work::Sum& sum = *sum_of(program.steps[0].work);
  EXPECT_EQ(sum.products, 2);  // one tap of each input channel
  EXPECT_EQ(sum.channels, 8);
  EXPECT_EQ(sum.bias, (std::vector<std::int32_t>{10, 10, 10, 10, -20, -20, -20, -20}));
}

TEST(PhaseTransposed, ClampsBeforeItMoves) {
  expect_as_written({"strides: ints = [2, 2]", "r", " r = Relu (t)\n"},
                    {"QLinearConv", "Clip", "Reshape", "Transpose", "Reshape", "Slice"});
}

TEST(PhaseTransposed, ScalesToFloatWhatCantBeRequantized) {
  expect_as_written({.bias_scale = 0.12875F}, {"ConvInteger", "Cast", "Mul", "Add", "QuantizeLinear", "Reshape",
                                               "Transpose", "Reshape", "Slice"});
  const Step step = lowered(transposed({.bias_scale = 0.12875F}), Policy::kExact).steps[0];
  EXPECT_EQ(step.reason,
            "Conv behind DequantizeLinear, its sum scaled to float, not to integers: bias scale 0.12875 is 3 % "
            "off x_scale * w_scale = 0.125");
}

TEST(PhaseTransposed, LeavesWhatIsNotQuantizedBehind) {
  const auto reason = [](const Model& model) {
    for (const Step& step : lowered(model, Policy::kExact).steps)
      if (step.operations[0].op->name == "ConvTranspose") return step.reason;
    return std::string("fused");
  };
  EXPECT_EQ(reason(transposed({"dilations: ints = [2, 2]"})), "a ConvTranspose with dilations");
  Model wanted = transposed();
  wanted.graph.outputs.push_back(value("t", DType::kFloat, std::nullopt));
  EXPECT_EQ(reason(wanted), "no QuantizeLinear alone follows: its result is wanted in float");
}

}  // namespace
}  // namespace octet
