#include <gtest/gtest.h>

#include "octet/graph/rewrite/rewrite.h"
#include "octet/graph/validate.h"

namespace octet {
namespace {

Value half_value(const std::string& name) { return {.name = name, .type = {.dtype = DType::kFloat16, .shape = {{3}}}}; }

Node half_node(const std::string& op_type, std::vector<std::string> inputs, const std::string& output) {
  return {.name = output, .op_type = op_type, .inputs = std::move(inputs), .outputs = {output}};
}

Node half_cast(const std::string& from, const std::string& to, DType dtype) {
  Node node = half_node("Cast", {from}, to);
  node.attributes.set("to", static_cast<std::int64_t>(dtype));
  return node;
}

// From x, float16 unless said otherwise, to float16 results.
Model half_model(std::vector<Node> nodes, const std::vector<std::string>& outputs = {"y"}, DType x = DType::kFloat16) {
  Model model;
  model.ir_version = 10;
  model.opset_imports = {{"", 21}};
  model.graph.inputs = {half_value("x")};
  model.graph.inputs[0].type.dtype = x;
  for (const std::string& output : outputs) model.graph.outputs.push_back(half_value(output));
  model.graph.nodes = std::move(nodes);
  model.graph.initializers = {{.name = "shape", .tensor = Tensor::from<std::int64_t>({1}, {3})},
                              {.name = "c", .tensor = Tensor(DType::kFloat16, {3})}};
  return model;
}

// "Relu x/float32 -> m/float32", one line for each node.
std::string widened_text(Model model) {
  model = widen_float16(std::move(model));
  validate(model);
  std::string text;
  for (const Node& node : model.graph.nodes) {
    text += node.op_type;
    for (const std::string& input : node.inputs) text += " " + input;
    text += " -> " + node.outputs[0] + "\n";
  }
  return text;
}

TEST(WidenFloat16, RoundsAChainOnce) {
  EXPECT_EQ(widened_text(half_model({half_node("Mul", {"x", "c"}, "m"), half_node("Add", {"m", "x"}, "y")})),
            "Cast x -> x/float32\n"
            "Mul x/float32 c/float32 -> m/float32\n"
            "Add m/float32 x/float32 -> y/float32\n"
            "Cast y/float32 -> y\n");
}

TEST(WidenFloat16, LeavesOperatorsThatHaveAKernel) {
  const Model model = half_model({half_node("Reshape", {"x", "shape"}, "r"), half_node("Max", {"r", "c"}, "y")});
  EXPECT_EQ(widened_text(model), "Reshape x shape -> r\nMax r c -> y\n");
}

TEST(WidenFloat16, RoundsForOneReaderAndNotForTheOther) {
  EXPECT_EQ(widened_text(half_model(
                {half_node("Relu", {"x"}, "m"), half_node("Max", {"m", "c"}, "y"), half_node("Neg", {"m"}, "z")},
                {"y", "z"})),
            "Cast x -> x/float32\n"
            "Relu x/float32 -> m/float32\n"
            "Cast m/float32 -> m\n"
            "Max m c -> y\n"
            "Neg m/float32 -> z/float32\n"
            "Cast z/float32 -> z\n");
}

TEST(WidenFloat16, TakesAnIsolatedMoveAlong) {
  EXPECT_EQ(widened_text(half_model({half_node("Relu", {"x"}, "m"), half_node("Reshape", {"m", "shape"}, "r"),
                                     half_node("Neg", {"r"}, "y")})),
            "Cast x -> x/float32\n"
            "Relu x/float32 -> m/float32\n"
            "Reshape m/float32 shape -> r/float32\n"
            "Neg r/float32 -> y/float32\n"
            "Cast y/float32 -> y\n");
}

TEST(WidenFloat16, LeavesTwoMovesInARow) {
  EXPECT_EQ(widened_text(half_model({half_node("Relu", {"x"}, "m"), half_node("Reshape", {"m", "shape"}, "r"),
                                     half_node("Reshape", {"r", "shape"}, "s"), half_node("Neg", {"s"}, "y")})),
            "Cast x -> x/float32\n"
            "Relu x/float32 -> m/float32\n"
            "Cast m/float32 -> m\n"
            "Reshape m shape -> r\n"
            "Reshape r shape -> s\n"
            "Cast s -> s/float32\n"
            "Neg s/float32 -> y/float32\n"
            "Cast y/float32 -> y\n");
}

TEST(WidenFloat16, ConvertsAccumulatorsToFloat32AtOnce) {
  EXPECT_EQ(widened_text(
                half_model({half_cast("x", "h", DType::kFloat16), half_node("Neg", {"h"}, "y")}, {"y"}, DType::kInt32)),
            "Cast x -> h/float32\n"
            "Neg h/float32 -> y/float32\n"
            "Cast y/float32 -> y\n");
}

TEST(WidenFloat16, RoundsAccumulatorsThatAreAlsoReadInFloat16) {
  EXPECT_EQ(widened_text(half_model(
                {half_cast("x", "h", DType::kFloat16), half_node("Neg", {"h"}, "y"), half_node("Max", {"h", "c"}, "z")},
                {"y", "z"}, DType::kInt32)),
            "Cast x -> h\n"
            "Cast h -> h/float32\n"
            "Neg h/float32 -> y/float32\n"
            "Cast y/float32 -> y\n"
            "Max h c -> z\n");
}

TEST(WidenFloat16, RoundsWhereTheFileCastsThereAndBack) {
  Model model = half_model({half_cast("x", "h", DType::kFloat16), half_cast("h", "f", DType::kFloat),
                            half_cast("f", "y", DType::kFloat16), half_node("Neg", {"h"}, "z")},
                           {"y", "z"}, DType::kFloat);
  EXPECT_EQ(widened_text(model),
            "Cast x -> h\n"
            "Cast h -> f\n"
            "Cast f -> y\n"
            "Cast h -> h/float32\n"
            "Neg h/float32 -> z/float32\n"
            "Cast z/float32 -> z\n");
}

TEST(WidenFloat16, DequantizesOnceMoreForFloat32) {
  Model model =
      half_model({half_node("QuantizeLinear", {"x", "s"}, "q"), half_node("DequantizeLinear", {"q", "s"}, "d"),
                  half_node("Max", {"d", "c"}, "y"), half_node("Neg", {"d"}, "z")},
                 {"y", "z"});
  model.graph.initializers.push_back(
      {.name = "s", .tensor = convert(Tensor::from<float>({}, {0.5F}), DType::kFloat16)});
  EXPECT_EQ(widened_text(model),
            "QuantizeLinear x s -> q\n"
            "DequantizeLinear q s -> d\n"
            "DequantizeLinear q s/float32 -> d/float32\n"
            "Max d c -> y\n"
            "Neg d/float32 -> z/float32\n"
            "Cast z/float32 -> z\n");
}

TEST(WidenFloat16, FoldsNoRoundingIntoConstants) {
  const float third = to_float(to_float16(1.0F / 3));
  Model model = half_model({half_node("Mul", {"t", "t"}, "m"), half_node("Add", {"x", "m"}, "y")});
  model.graph.initializers.push_back(
      {.name = "t", .tensor = convert(Tensor::from<float>({}, {third}), DType::kFloat16)});
  const Model folded = widen_float16(fold_constants(model));
  const Initializer* product = find_initializer(folded.graph, "m/float32");
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->tensor.number_at(0), third * third);
}

TEST(WidenFloat16, LeavesBfloat16) {
  Model model = half_model({half_node("Relu", {"x"}, "m"), half_node("Neg", {"m"}, "y")}, {"y"}, DType::kBFloat16);
  model.graph.outputs[0].type.dtype = DType::kBFloat16;
  model.graph.initializers.clear();
  EXPECT_EQ(widened_text(model), "Relu x -> m\nNeg m -> y\n");
}

}  // namespace
}  // namespace octet
