#include "octet/inspect/node_details.h"

#include <gtest/gtest.h>

#include "octet/inspect/inspect.h"

namespace octet {
namespace {

// x, Relu "before", Conv "middle" with weights -1, 0, 1, 7, then Relu "left" and Relu "right".
Model crossing() {
  Model model;
  model.ir_version = 8;
  model.opset_imports = {{"", 17}};
  const auto relu = [](const char* name, const char* from, const char* to) {
    return Node{.name = name, .op_type = "Relu", .inputs = {from}, .outputs = {to}};
  };
  const auto value = [](const char* name) {
    return Value{.name = name,
                 .type = {.dtype = DType::kFloat, .shape = SymbolicShape{Dim(1), Dim(1), Dim(4), Dim(4)}}};
  };
  model.graph.nodes = {relu("before", "x", "a"),
                       {.name = "middle", .op_type = "Conv", .inputs = {"a", "w"}, .outputs = {"b"}},
                       relu("left", "b", "y"),
                       relu("right", "b", "z")};
  model.graph.initializers = {{.name = "w", .tensor = Tensor::from<float>({1, 1, 2, 2}, {-1, 0, 1, 7})}};
  model.graph.inputs = {value("x")};
  model.graph.outputs = {{.name = "y"}, {.name = "z"}};
  return model;
}

TEST(NodeDetails, NameTheNeighbours) {
  const Model model = crossing();
  const NodeDetails details = node_details(model, inspect(model), 1);
  ASSERT_EQ(details.before.size(), 1U);
  EXPECT_EQ(details.before[0].node, "before");
  EXPECT_EQ(details.before[0].value, "a");
  ASSERT_EQ(details.after.size(), 2U);
  EXPECT_EQ(details.after[0].node, "left");
  EXPECT_EQ(details.after[1].node, "right");
}

TEST(NodeDetails, CountTheNumbersInConstants) {
  const Model model = crossing();
  const NodeDetails details = node_details(model, inspect(model), 1);
  ASSERT_EQ(details.constants.size(), 1U);
  const ConstantReport& w = details.constants[0];
  EXPECT_EQ(w.least, -1);
  EXPECT_EQ(w.greatest, 7);
  EXPECT_EQ(w.mean, 1.75);
  EXPECT_NEAR(w.deviation, 3.112475, 1e-6);
  EXPECT_EQ(w.zeros, 1);
  // Parts of half a unit: -1, 0, 1 and 7 are in the first, third, fifth and last.
  EXPECT_EQ(w.histogram, (std::array<std::int64_t, 16>{1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
}

TEST(NodeDetails, HaveOnePartForEqualNumbers) {
  Model model = crossing();
  model.graph.initializers[0].tensor = Tensor::from<float>({1, 1, 2, 2}, {3, 3, 3, 3});
  const NodeDetails details = node_details(model, inspect(model), 1);
  EXPECT_EQ(details.constants[0].histogram[0], 4);
  EXPECT_EQ(details.constants[0].deviation, 0);
}

TEST(NodeDetails, LeaveOutConstantsThatAreNotFinite) {
  Model model = crossing();
  model.graph.initializers[0].tensor.mutable_as<float>()[2] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(node_details(model, inspect(model), 1).constants.empty());
}

TEST(NodeDetails, AreReadAsATable) {
  const Model model = crossing();
  const ModelReport report = inspect(model);
  NodeDetails details = node_details(model, report, 1);
  details.ranges["a"] = {0, 2.5F};
  const std::string text = node_details_text(report, details, 80);
  for (const char* part : {"middle (Conv), node 1, 36 MACs\n", "from before (Relu)", "to left (Relu), right (Relu)",
                           "stored", "0..2.5", "w: -1..7, mean 1.75, deviation 3.112, 1 zero\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace octet
