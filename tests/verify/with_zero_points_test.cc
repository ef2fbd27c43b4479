#include "octet/verify/with_zero_points.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

// x, w and v dequantized: w in blocks of 2 along axis 0, v with a zero point.
Model dequantizing() {
  Model model;
  model.ir_version = 10;
  model.opset_imports = {{"", 21}};
  Graph& graph = model.graph;
  const Tensor integers = Tensor::from<std::int8_t>({4, 1}, {1, 2, 3, 4});
  graph.initializers = {{.name = "w", .tensor = integers},
                        {.name = "bytes", .tensor = Tensor::from<std::uint8_t>({4, 1}, {1, 2, 3, 4})},
                        {.name = "s", .tensor = Tensor::from<float>({2, 1}, {0.5F, 2})},
                        {.name = "s_zero_point", .tensor = Tensor::from<std::int8_t>({2, 1}, {3, 4})}};
  const auto add = [&](const std::vector<std::string>& inputs, const std::string& output) {
    Node node{.name = output, .op_type = "DequantizeLinear", .inputs = inputs, .outputs = {output}};
    node.attributes.set("axis", std::int64_t{0});
    node.attributes.set("block_size", std::int64_t{2});
    graph.nodes.push_back(node);
    graph.outputs.push_back({.name = output});
  };
  add({"w", "s"}, "plain");
  add({"w", "s", "s_zero_point"}, "shifted");
  add({"bytes", "s"}, "unsigned");
  return model;
}

TEST(WithZeroPoints, GivesInt8ZerosOfTheScalesShape) {
  const Graph graph = with_zero_points(dequantizing()).graph;
  ASSERT_EQ(graph.nodes[0].inputs.size(), 3U);
  EXPECT_EQ(graph.nodes[0].inputs[2], "s_zero_point_1");  // the other name is taken
  EXPECT_EQ(graph.initializers.back().name, "s_zero_point_1");
  EXPECT_TRUE(graph.initializers.back().tensor.identical(Tensor(DType::kInt8, {2, 1})));
  EXPECT_EQ(graph.nodes[1].inputs[2], "s_zero_point");
  EXPECT_EQ(graph.nodes[2].inputs.size(), 2U);
  EXPECT_EQ(graph.initializers.size(), 5U);
}

}  // namespace
}  // namespace octet
