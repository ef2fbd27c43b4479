// Programs written back as models, and run.
#include <gtest/gtest.h>

#include "octet/program/lower.h"
#include "tests/program/networks.h"
#include "tests/support/engines.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

// 128 added to both sides of b - b_zero_point, at run time: the same sums, and no product of uint8 and int8 is left.
TEST(ToModel, MakesWeightsUnsignedAtRunTime) {
  const Model model =
      octet::network("main (a, b, bz) => (y, u) { y = MatMulInteger (a, b, az, bz)\n u = MatMulInteger (a, b) }",
                     {value("a", DType::kUint8, SymbolicShape{1, 2}), value("b", DType::kInt8, SymbolicShape{2, 2}),
                      value("bz", DType::kInt8, SymbolicShape{})},
                     {{"az", u8(3)}});
  const Model written = to_model(lowered(model, Policy::kExact), {.unsigned_weights = true});
  const NamedTensors inputs = {{"a", Tensor::from<std::uint8_t>({1, 2}, {255, 7})},
                               {"b", Tensor::from<std::int8_t>({2, 2}, {-128, 127, 5, -1})},
                               {"bz", s8(-9)}};
  const NamedTensors found = run_as_written(written, inputs, {.keep_all = true});
  EXPECT_TRUE(found.at("y").identical(Tensor::from<std::int32_t>({1, 2}, {252 * -119 + 4 * 14, 252 * 136 + 4 * 8})));
  EXPECT_TRUE(found.at("u").identical(Tensor::from<std::int32_t>({1, 2}, {255 * -128 + 7 * 5, 255 * 127 - 7})));
  EXPECT_TRUE(found.at("b_unsigned").identical(Tensor::from<std::uint8_t>({2, 2}, {0, 255, 133, 127})));
  for (const Node& node : written.graph.nodes)
    if (node.op_type == "MatMulInteger") {
      EXPECT_EQ(node.inputs[1], "b_unsigned");
    }
}

// ConvInteger multiplies its weights first: uint8 ones with int8 activations are what saturates there.
TEST(ToModel, MakesWeightsOfConvIntegerSignedWhereActivationsAre) {
  const Model model = octet::network(
      "main (x) => (y) { y = ConvInteger (x, w, xz, wz) }", {value("x", DType::kInt8, SymbolicShape{1, 1, 1, 2})},
      {{"w", Tensor::from<std::uint8_t>({1, 1, 1, 2}, {255, 0})}, {"xz", s8(-3)}, {"wz", u8(7)}});
  const Model written = to_model(lowered(model, Policy::kExact), {.unsigned_weights = true});
  const NamedTensors found =
      run_as_written(written, {{"x", Tensor::from<std::int8_t>({1, 1, 1, 2}, {127, -128})}}, {.keep_all = true});
  EXPECT_TRUE(found.at("y").identical(Tensor::from<std::int32_t>({1, 1, 1, 1}, {130 * 248 + 125 * 7})));
  EXPECT_TRUE(find_initializer(written.graph, written.graph.nodes[0].inputs[1])
                  ->tensor.identical(Tensor::from<std::int8_t>({1, 1, 1, 2}, {127, -128})));
}

Model with_softmax_of(int opset, int model_opset, const std::string& last) {
  Model model = octet::network("main (x) => (y) { s = Softmax (x)\n y = " + last + " }",
                               {value("x", DType::kFloat, SymbolicShape{1, 2, 2})}, {});
  for (auto& [domain, version] : model.opset_imports)
    if (domain.empty()) version = model_opset;
  model.graph.nodes[0].opset = opset;
  return model;
}

// Before opset 13 Softmax sums over all axes from the first on.
TEST(ToModel, TakesTheOpsetThatAFunctionBrought) {
  const Model written = to_model(lowered(with_softmax_of(13, 11, "Neg (s)"), Policy::kAsWritten), {});
  EXPECT_EQ(written.opset(""), 13);
  const NamedTensors found = run_as_written(written, {{"x", Tensor(DType::kFloat, {1, 2, 2})}}, {});
  EXPECT_TRUE(found.at("y").identical(Tensor::from<float>({1, 2, 2}, {-0.5F, -0.5F, -0.5F, -0.5F})));
}

TEST(ToModel, RefusesOpsetsThatNoFileCanHold) {
  const auto failure = [](const Model& model) {
    return failure_of([&] { to_model(lowered(model, Policy::kAsWritten), {}); });
  };
  EXPECT_EQ(failure(with_softmax_of(11, 13, "Neg (s)")).message(),
            "s (Softmax) is of opset 11, the model of opset 13: wanted one that both mean the same in");
  EXPECT_EQ(failure(with_softmax_of(13, 11, "LogSoftmax (s)")).message(),
            "y (LogSoftmax) is of opset 11, s of opset 13: wanted one that both mean the same in");
}

// RoiAlign has other coordinates from opset 16 on, unless said: a file of opset 17 would mean something else.
TEST(ToModel, RefusesOpsetsThatChangeADefault) {
  Model model =
      octet::network("main (x, r, b) => (y, s) { y = RoiAlign (x, r, b)\n s = Neg (y) }",
                     {value("x", DType::kFloat, SymbolicShape{1, 1, 4, 4}),
                      value("r", DType::kFloat, SymbolicShape{1, 4}), value("b", DType::kInt64, SymbolicShape{1})},
                     {});
  model.graph.nodes[1] = {.name = "n", .op_type = "LayerNormalization", .inputs = {"y", "g"}, .outputs = {"s"}};
  model.graph.nodes[1].opset = 17;
  add_initializer(model, "g", Tensor::from<float>({1}, {1}));
  EXPECT_EQ(failure_of([&] { to_model(lowered(model, Policy::kAsWritten), {}); }).message(),
            "y (RoiAlign) is of opset 13, n of opset 17: wanted one that both mean the same in");
}

}  // namespace
}  // namespace octet
