// What lowering refuses, whatever would run it.
#include <gtest/gtest.h>

#include "octet/base/error.h"
#include "octet/program/lower.h"
#include "tests/support/lowered.h"
#include "tests/support/models.h"

namespace octet {
namespace {

Model identity_of(DType dtype, std::optional<SymbolicShape> shape) {
  return model_from("main (x) => (y) { y = Identity (x) }", {value("x", dtype, std::move(shape))});
}

std::string unsupported(const Model& model, ErrorCode code = ErrorCode::kUnsupported) {
  std::string what;
  EXPECT_EQ(error_of([&] { lowered(model, Policy::kAsWritten); }, &what), code);
  return what;
}

TEST(Lower, NamesTheOperatorsItDoesNotKnow) {
  Model model = model_from("main (x) => (y) { y = Mystery (x) }", {value("x", DType::kFloat, {{N()}})}, 13);
  EXPECT_EQ(unsupported(model), "y (Mystery): Octet does not know the operator Mystery of ai.onnx opset 13");
  model.graph.nodes[0].domain = "com.example";
  EXPECT_EQ(unsupported(model, ErrorCode::kModel),
            "y (Mystery): the model does not import the operators of com.example");
  model.opset_imports.emplace_back("com.example", 3);
  EXPECT_EQ(unsupported(model), "y (Mystery): Octet does not know the operator Mystery of com.example opset 3");
}

TEST(Lower, ListsAllNodesThatItDoesNotCompute) {
  Model model = model_from("main (x) => (y) { a = Mystery (x) b = Relu (a) y = Riddle (b) }",
                           {value("x", DType::kFloat, {{N()}})}, 13);
  EXPECT_EQ(unsupported(model),
            "Octet does not compute 2 nodes:\n"
            "  a (Mystery): Octet does not know the operator Mystery of ai.onnx opset 13\n"
            "  y (Riddle): Octet does not know the operator Riddle of ai.onnx opset 13");
  const Node mystery = model.graph.nodes[0];
  for (int n = 0; n < 200; ++n) {
    model.graph.nodes.push_back(mystery);
    model.graph.nodes.back().outputs = {"a" + std::to_string(n)};
  }
  EXPECT_TRUE(unsupported(model).ends_with("\n  and 102 more"));
}

TEST(Lower, RefusesByOperatorAndNotByOpset) {
  Model model = identity_of(DType::kFloat, {{N()}});
  for (const int opset : {26, 28, kNewestOpset + 1, 40}) {
    model.opset_imports = {{"", opset}};
    EXPECT_EQ(lower(model, Policy::kAsWritten).steps.size(), 1U) << opset;
  }
  Model mystery = model_from("main (x) => (y) { y = Mystery (x) }", {value("x", DType::kFloat, {{N()}})}, 40);
  EXPECT_EQ(unsupported(mystery), "y (Mystery): Octet does not know the operator Mystery of ai.onnx opset 40");
  Model early = model_from("main (x) => (y) { y = CumProd (x, x) }", {value("x", DType::kFloat, {{N()}})}, 25);
  EXPECT_EQ(unsupported(early), "y (CumProd): Octet knows CumProd from opset 26 of ai.onnx on, not in opset 25");
}

TEST(Lower, NamesWhatItDoesNotKnowInsideABranch) {
  Model model = model_from("main (x) => (y) { y = If (x) }", {value("x", DType::kBool, SymbolicShape{})});
  const auto set_branch = [&](const char* attribute, const char* text) {
    model.graph.nodes[0].subgraphs[attribute].graphs = {model_from(text, {}).graph};
  };
  set_branch("then_branch", "then () => (t) { t = Identity (x) }");
  set_branch("else_branch", "else () => (e) { e = Mystery (x) }");
  EXPECT_EQ(unsupported(model),
            "y (If): else_branch: e (Mystery): Octet does not know the operator Mystery of ai.onnx opset 21");
  set_branch("else_branch", "else () => (e) { e = Add (x) }");
  EXPECT_EQ(unsupported(model, ErrorCode::kModel), "y (If): else_branch: e (Add): input B is missing");
  model.graph.nodes[0].subgraphs["else_branch"].graphs.clear();
  EXPECT_EQ(unsupported(model, ErrorCode::kModel), "y (If): attribute else_branch has 0 graphs, one is wanted");
}

TEST(Lower, RefusesTypesItDoesNotComputeWith) {
  for (const DType dtype : {DType::kString, DType::kComplex64}) {
    EXPECT_NE(unsupported(identity_of(dtype, {{N()}})).find("does not compute with"), std::string::npos);
    Model model = identity_of(DType::kFloat, {{N()}});
    add_initializer(model, "w", Tensor(dtype, {1}));
    EXPECT_NE(unsupported(model).find("initializer w is of type"), std::string::npos);
  }
  Model sequence = identity_of(DType::kUndefined, std::nullopt);
  sequence.graph.inputs[0].type.other = "a sequence";
  EXPECT_EQ(unsupported(sequence), "input x is not a tensor, and Octet computes with tensors only");
}

TEST(Lower, RefusesANodeWithoutAnInputItNeeds) {
  Model model = identity_of(DType::kFloat, {{N()}});
  model.graph.nodes[0].inputs = {""};
  EXPECT_EQ(unsupported(model, ErrorCode::kModel), "y (Identity): input input is missing");
}

}  // namespace
}  // namespace octet
