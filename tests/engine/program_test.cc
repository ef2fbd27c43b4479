// What lowering changes nothing about: the integers.
#include <gtest/gtest.h>

#include <map>

#include "tests/program/networks.h"
#include "tests/support/engines.h"

namespace octet {
namespace {

Tensor all_bytes(DType dtype, Shape shape) {
  Tensor tensor(dtype, std::move(shape));
  for (std::size_t k = 0; k < tensor.bytes().size(); ++k) tensor.mutable_bytes()[k] = static_cast<std::byte>(k * 37);
  return tensor;
}

void expect_the_same(const Model& model, const Tensor& x) {
  const Tensor written = run_as_written(model, {{"x", x}}).at("y");
  const Program program = lowered(model, Policy::kExact);
  EXPECT_TRUE(run_every_engine(program, {{"x", x}}).at("y").identical(written));
  for (const bool unsigned_weights : {false, true})
    EXPECT_TRUE(run_as_written(to_model(program, {unsigned_weights}), {{"x", x}}).at("y").identical(written));
}

TEST(Programs, ComputeTheConvolutionOfTheFile) {
  for (const int zero_point : {-128, 7, 0})
    for (const bool relu : {false, true})
      expect_the_same(
          convolution({relu ? "r" : "t", relu ? " r = Relu (t)\n" : "", 0.125F, static_cast<std::int8_t>(zero_point)}),
          all_bytes(DType::kInt8, {1, 2, 1, 2}));
}

// int8 weights that a runtime without VNNI saturates with the uint8 that the operator makes of x and of its state.
TEST(Programs, MakeTheWeightsInsideAnLstmUnsigned) {
  Model model = network("main (x) => (y) { y = Identity (x) }", {value("x", DType::kFloat, SymbolicShape{3, 1, 2})},
                        {{"w", all_bytes(DType::kInt8, {1, 2, 4})},
                         {"r", all_bytes(DType::kInt8, {1, 1, 4})},
                         {"s", Tensor::from<float>({1}, {0.01F})},
                         {"z", Tensor::from<std::int8_t>({1}, {-3})}});
  Node& node = model.graph.nodes[0];
  node.op_type = "DynamicQuantizeLSTM";
  node.domain = "com.microsoft";
  node.inputs = {"x", "w", "r", "", "", "", "", "", "s", "z", "s", "z"};
  node.attributes.set("hidden_size", std::int64_t{1});
  expect_the_same(model, Tensor::from<float>({3, 1, 2}, {1, -2, 0.3F, 4, 5, -0.6F}));
  const Model written = to_model(lowered(model, Policy::kExact), {.unsigned_weights = true});
  std::map<std::string, const Initializer*> constants;
  for (const Initializer& constant : written.graph.initializers) constants[constant.name] = &constant;
  for (const std::size_t input : {1U, 2U, 9U, 11U})
    EXPECT_EQ(constants.at(written.graph.nodes[0].inputs[input])->tensor.dtype(), DType::kUint8) << input;
}

TEST(Programs, ComputeTheTableOfTheFileForAllBytes) {
  for (const std::string nodes : {" t = Tanh (a)\n", " t = HardSigmoid (a)\n", " s = Elu (a)\n t = Abs (s)\n"}) {
    const Model model =
        network("main (x) => (y) { a = DequantizeLinear (x, xs, xz)\n" + nodes + " y = QuantizeLinear (t, ys, yz) }",
                {value("x", DType::kInt8, SymbolicShape{256})},
                {{"xs", f(0.03F)}, {"xz", s8(-11)}, {"ys", f(0.0071F)}, {"yz", u8(5)}});
    const Tensor x = all_bytes(DType::kInt8, {256});
    ASSERT_EQ(operators_of(lowered(model, Policy::kExact)), (Names{"Cast", "Gather"}));
    expect_the_same(model, x);
  }
}

TEST(Programs, RunOneStepAlone) {
  for (const auto& engine : every_engine(lowered(convolution(), Policy::kExact))) {
    const Tensor x = all_bytes(DType::kInt8, {1, 2, 1, 2});
    EXPECT_TRUE(engine->run_step(0, {{"x", x}}).at("y").identical(engine->run({{"x", x}}).at("y")));
    EXPECT_EQ(error_of([&] { engine->run_step(0, {}); }), ErrorCode::kUsage);
  }
}

Model of_microsoft(Model model) {
  for (Node& node : model.graph.nodes)
    if (node.op_type.starts_with("QLinear")) node.domain = "com.microsoft";
  return model;
}

TEST(Programs, ComputeConvolutionsWithChannelsLast) {
  const Model model = of_microsoft(network(
      "main (x) => (y) { c = QLinearConv <channels_last: int = 1> (x, s, z, w, s, z, s, z)\n"
      " y = QLinearConv <channels_last: int = 1, pads: ints = [1, 0, 0, 1]> (c, s, z, w, s, z, s, z) }",
      {value("x", DType::kInt8, SymbolicShape{2, 3, 5, 2})},
      {{"s", f(0.1F)}, {"z", s8(-3)}, {"w", Tensor::from<std::int8_t>({2, 2, 1, 2}, {5, -7, 3, 0, 9, 1, -2, 4})}}));
  EXPECT_EQ(operators_of(lowered(model, Policy::kExact)),
            (Names{"Transpose", "QLinearConv", "QLinearConv", "Transpose"}));
  expect_the_same(model, all_bytes(DType::kInt8, {2, 3, 5, 2}));
}

}  // namespace
}  // namespace octet
