#include "octet/graph/raise_opset.h"

#include <gtest/gtest.h>

#include "octet/graph/validate.h"
#include "tests/support/models.h"

namespace octet {
namespace {

std::vector<std::string> operators_of(const Graph& graph) {
  std::vector<std::string> ops;
  for (const Node& node : graph.nodes) ops.push_back(node.op_type);
  return ops;
}

Model old_model(std::string_view text, int opset) {
  return model_from(text, {value("x", DType::kFloat, {{1, 2, 4, 4}})}, opset);
}

TEST(RaiseOpset, LeavesNewerModels) {
  const RaisedModel raised = raise_opset(old_model("main (x) => (y) { y = Softmax (x) }", 13));
  EXPECT_EQ(raised.nodes, 0U);
  EXPECT_EQ(raised.model.opset(""), 13);
}

TEST(RaiseOpset, MovesBoundsToInputs) {
  const RaisedModel raised = raise_opset(old_model("main (x) => (y) { y = Clip <max: float = 6.0> (x) }", 9));
  const Node& clip = raised.model.graph.nodes[0];
  EXPECT_EQ(clip.inputs, (std::vector<std::string>{"x", "", "y_max"}));
  EXPECT_EQ(clip.attributes.size(), 0U);
  EXPECT_EQ(find_initializer(raised.model.graph, "y_max")->tensor, Tensor::scalar(6.0F));
  EXPECT_EQ(raised.operators, (std::vector<std::string>{"Clip"}));
  EXPECT_EQ(raised.model.opset(""), kRaisedOpset);
  validate(raised.model);
}

TEST(RaiseOpset, LeavesFunctionsOfTheStandard) {
  const RaisedModel raised = raise_opset(old_model("main (x) => (y) { y = MeanVarianceNormalization (x) }", 9));
  EXPECT_EQ(operators_of(raised.model.graph), (std::vector<std::string>{"MeanVarianceNormalization"}));
  EXPECT_EQ(raised.model.opset(raised.model.graph.nodes[0]), kRaisedOpset);
  EXPECT_EQ(raised.nodes, 0U);
}

TEST(RaiseOpset, FlattensWhatSoftmaxTookForOneAxis) {
  const RaisedModel whole = raise_opset(old_model("main (x) => (y) { y = Softmax (x) }", 9));
  EXPECT_EQ(operators_of(whole.model.graph), (std::vector<std::string>{"Shape", "Flatten", "Softmax", "Reshape"}));
  const RaisedModel last = raise_opset(old_model("main (x) => (y) { y = Softmax <axis: int = 3> (x) }", 9));
  EXPECT_EQ(operators_of(last.model.graph), (std::vector<std::string>{"Softmax"}));
  EXPECT_EQ(last.model.graph.nodes[0].attributes.get_int("axis", 0), -1);
}

TEST(RaiseOpset, RaisesGraphsInsideNodes) {
  Model model = model_from("main (a, x) => (y) { y = If (a) }",
                           {value("a", DType::kBool, SymbolicShape{}), value("x", DType::kFloat, {{N()}})}, 9);
  for (const char* branch : {"then_branch", "else_branch"})
    model.graph.nodes[0].subgraphs[branch].graphs = {
        model_from("branch () => (t) { t = Unsqueeze <axes: ints = [0]> (x) }", {}).graph};
  const RaisedModel raised = raise_opset(std::move(model));
  validate(raised.model);
  for (const auto& [branch, attribute] : raised.model.graph.nodes[0].subgraphs) {
    EXPECT_EQ(attribute.graphs[0].nodes[0].inputs.size(), 2U) << branch;
    EXPECT_EQ(attribute.graphs[0].initializers.size(), 1U) << branch;
  }
  EXPECT_EQ(raised.nodes, 2U);
}

TEST(RaiseOpset, TakesInitializersThatHadToBeInputsForConstants) {
  Model model = old_model("main (x, w) => (y) { y = Add (x, w) }", 8);
  model.graph.inputs.push_back(value("w", DType::kFloat, SymbolicShape{}));
  add_initializer(model, "w", Tensor::scalar(1.0F));
  Model newer = model;
  model.ir_version = 3;
  EXPECT_EQ(raise_opset(std::move(model)).model.graph.inputs.size(), 1U);
  newer.ir_version = 4;  // a default that a caller may replace
  EXPECT_EQ(raise_opset(std::move(newer)).model.graph.inputs.size(), 2U);
}

TEST(RaiseOpset, NamesWhatItCannotRaise) {
  const auto refusal = [](const Model& model) {
    std::string what;
    EXPECT_EQ(error_of([&] { raise_opset(model); }, &what), ErrorCode::kUnsupported);
    return what;
  };
  EXPECT_EQ(refusal(old_model("main (x) => (y, m) { y, m = Dropout (x) }", 9)),
            "y (Dropout): Dropout of opset 9 can't be written in opset 13: its mask is of another type there");
  EXPECT_EQ(refusal(old_model("main (x) => (y) { y = Scan (x, x) }", 8)),
            "y (Scan): Scan of opset 8 can't be written in opset 13: it scans batches there");
  EXPECT_EQ(refusal(old_model("main (x) => (y) { y = Mystery (x) }", 8)),
            "y (Mystery): Mystery of opset 8 can't be written in opset 13: Octet does not know the operator");
  EXPECT_EQ(refusal(old_model("main (x) => (y) { y = Relu (x) }", 6)),
            "the model is written in opset 6 of ai.onnx; those from 7 on can be raised to 13");
}

TEST(RaiseOpset, TakesNoArgumentForGranted) {
  for (const char* op :
       {"Softmax", "Upsample", "Pad", "TopK", "Slice", "Squeeze", "Split", "Clip", "Dropout", "ReduceSum"}) {
    Model model = old_model("main (x) => (y) { y = Relu (x) }", 9);
    model.graph.nodes[0].op_type = op;
    model.graph.nodes[0].inputs.clear();
    std::string what;
    EXPECT_EQ(error_of([&] { raise_opset(model); }, &what), ErrorCode::kModel) << op;
    EXPECT_TRUE(what.starts_with(std::string("y (") + op + "): ")) << what;
    model.graph.nodes[0].inputs = {"x", "x", "x"};
    model.graph.nodes[0].outputs.clear();
    EXPECT_EQ(error_of([&] { raise_opset(model); }, &what), ErrorCode::kModel) << op;
  }
}

// OneHot takes negative indices for ones from the end since opset 11; NonMaxSuppression only came to take more.
TEST(RaiseOpset, RaisesWhatMeansTheSameAsItIs) {
  Model model = model_from("main (i, d, v) => (y) { y = OneHot (i, d, v) }",
                           {value("i", DType::kInt64, SymbolicShape{2}), value("d", DType::kInt64, SymbolicShape{}),
                            value("v", DType::kFloat, SymbolicShape{2})},
                           9);
  std::string what;
  EXPECT_EQ(error_of([&] { raise_opset(model); }, &what), ErrorCode::kUnsupported);
  EXPECT_EQ(what,
            "y (OneHot): OneHot of opset 9 can't be written in opset 13: it means something else there, and Octet has "
            "no rule for it");
  const RaisedModel raised =
      raise_opset(model_from("main (b, s) => (y) { y = NonMaxSuppression (b, s) }",
                             {value("b", DType::kFloat, {{1, 2, 4}}), value("s", DType::kFloat, {{1, 1, 2}})}, 10));
  EXPECT_EQ(raised.nodes, 0U);
  EXPECT_EQ(raised.model.opset(""), kRaisedOpset);
}

}  // namespace
}  // namespace octet
