#include "octet/graph/validate.h"

#include <gtest/gtest.h>

#include "octet/base/error.h"

namespace octet {
namespace {

Node node(std::string op_type, std::vector<std::string> inputs, std::vector<std::string> outputs) {
  return {.name = "the_" + op_type, .op_type = op_type, .inputs = std::move(inputs), .outputs = std::move(outputs)};
}

Value value(std::string name) { return {.name = std::move(name)}; }

// x -> Relu -> y -> Neg -> z, with a constant c.
Model small_model() {
  Model model;
  model.opset_imports = {{"", 17}};
  model.graph.inputs = {value("x")};
  model.graph.initializers = {{.name = "c", .tensor = Tensor::scalar(1.0F)}};
  model.graph.nodes = {node("Relu", {"x"}, {"y"}), node("Add", {"y", "c"}, {"z"})};
  model.graph.outputs = {value("z")};
  return model;
}

void expect_refused(const Model& model, const std::string& what) {
  try {
    validate(model);
    FAIL() << "accepted; wanted: " << what;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kModel);
    EXPECT_EQ(error.what(), what);
  }
}

TEST(Validate, AcceptsASmallModel) { validate(small_model()); }

TEST(Validate, AcceptsAnInitializerThatIsTheDefaultOfAnInput) {
  Model model = small_model();
  model.graph.inputs.push_back(value("c"));
  validate(model);
}

TEST(Validate, AcceptsAbsentInputsAndOutputs) {
  Model model = small_model();
  model.graph.nodes.push_back(node("Resize", {"z", "", ""}, {"w", "", ""}));
  validate(model);
}

TEST(Validate, AcceptsInputsThatAreOutputs) {
  Model model = small_model();
  model.graph.outputs.push_back(value("x"));
  validate(model);
}

TEST(Validate, RefusesAnInputThatNobodyMakes) {
  Model model = small_model();
  model.graph.nodes[1].inputs[1] = "nothing";
  expect_refused(
      model, "the_Add (Add): input nothing is neither an input of the graph, an initializer nor the output of a node");
}

TEST(Validate, RefusesACycle) {
  Model model = small_model();
  model.graph.nodes[0].inputs[0] = "z";
  expect_refused(model,
                 "the_Relu (Relu): input z comes from the_Add (Add), which is not earlier: the nodes form a cycle");
}

TEST(Validate, RefusesANodeThatUsesItsOwnOutput) {
  Model model = small_model();
  model.graph.nodes[0].inputs[0] = "y";
  expect_refused(model,
                 "the_Relu (Relu): input y comes from the_Relu (Relu), which is not earlier: the nodes form a cycle");
}

TEST(Validate, RefusesTwoProducersOfOneValue) {
  Model model = small_model();
  model.graph.nodes[1].outputs[0] = "y";
  expect_refused(model, "the_Add (Add): output y has the name of another value");
}

TEST(Validate, RefusesANodeThatProducesTheSameValueTwice) {
  Model model = small_model();
  model.graph.nodes[0].outputs = {"y", "y"};
  expect_refused(model, "the_Relu (Relu): output y has the name of another value");
}

TEST(Validate, RefusesANodeThatProducesAnInput) {
  Model model = small_model();
  model.graph.nodes[0].outputs[0] = "x";
  expect_refused(model, "the_Relu (Relu): output x has the name of another value");
}

TEST(Validate, RefusesANodeThatProducesAnInitializer) {
  Model model = small_model();
  model.graph.nodes[0].outputs[0] = "c";
  expect_refused(model, "the_Relu (Relu): output c has the name of another value");
}

TEST(Validate, RefusesTwoInitializersOfOneName) {
  Model model = small_model();
  model.graph.initializers.push_back(model.graph.initializers[0]);
  expect_refused(model, "initializer c has the name of another value");
}

TEST(Validate, RefusesAnInitializerWithoutName) {
  Model model = small_model();
  model.graph.initializers.push_back({.tensor = Tensor::scalar(1.0F)});
  expect_refused(model, "initializer has no name");
}

TEST(Validate, RefusesTwoInputsOfOneName) {
  Model model = small_model();
  model.graph.inputs.push_back(value("x"));
  expect_refused(model, "input x has the name of another value");
}

TEST(Validate, RefusesAnInputWithoutName) {
  Model model = small_model();
  model.graph.inputs.push_back(value(""));
  expect_refused(model, "input has no name");
}

TEST(Validate, RefusesAnOutputThatNobodyMakes) {
  Model model = small_model();
  model.graph.outputs.push_back(value("nothing"));
  expect_refused(model, "output nothing is not the output of any node");
}

TEST(Validate, RefusesANodeWithoutOperator) {
  Model model = small_model();
  model.graph.nodes[0].op_type = "";
  expect_refused(model, "the_Relu (): the node has no operator");
}

TEST(Validate, RefusesADomainThatIsImportedTwice) {
  Model model = small_model();
  model.opset_imports.emplace_back("", 18);
  expect_refused(model, "the operator set ai.onnx is imported twice");
}

Model with_subgraph(Graph graph) {
  Model model = small_model();
  Node branch = node("If", {"z"}, {"w"});
  branch.subgraphs["then_branch"].graphs.push_back(std::move(graph));
  model.graph.nodes.push_back(std::move(branch));
  return model;
}

TEST(Validate, LetsSubgraphsSeeTheGraphsAroundThem) {
  Graph inner;
  inner.nodes = {node("Add", {"y", "c"}, {"inside"})};
  inner.outputs = {value("inside")};
  validate(with_subgraph(inner));
}

TEST(Validate, RefusesASubgraphThatUsesAnUnknownValue) {
  Graph inner;
  inner.nodes = {node("Neg", {"nothing"}, {"inside"})};
  expect_refused(
      with_subgraph(inner),
      "the_Neg (Neg): input nothing is neither an input of the graph, an initializer nor the output of a node");
}

TEST(Validate, RefusesASubgraphThatUsesTheOutputOfItsOwnNode) {
  Graph inner;
  inner.nodes = {node("Neg", {"w"}, {"inside"})};
  expect_refused(with_subgraph(inner),
                 "the_Neg (Neg): input w is neither an input of the graph, an initializer nor the output of a node");
}

TEST(Validate, KeepsTheValuesOfASubgraphInside) {
  Graph inner;
  inner.nodes = {node("Neg", {"y"}, {"inside"})};
  Model model = with_subgraph(inner);
  model.graph.nodes.push_back(node("Abs", {"inside"}, {"v"}));
  expect_refused(
      model, "the_Abs (Abs): input inside is neither an input of the graph, an initializer nor the output of a node");
}

TEST(Validate, RefusesGraphsNestedTooDeep) {
  Graph graph;
  for (int depth = 0; depth < 200; ++depth) {
    Node branch = node("If", {}, {});
    branch.subgraphs["then_branch"].graphs.push_back(std::move(graph));
    graph = {};
    graph.nodes.push_back(std::move(branch));
  }
  try {
    validate(with_subgraph(std::move(graph)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kLimit);
    EXPECT_EQ(error.message(), "graphs are nested more than 100 deep");
  }
}

Function square() {
  Function function;
  function.name = "Square";
  function.domain = "local";
  function.inputs = {"a"};
  function.outputs = {"b"};
  function.nodes = {node("Mul", {"a", "a"}, {"b"})};
  return function;
}

TEST(Validate, AcceptsOverloadsOfAFunction) {
  Model model = small_model();
  model.functions = {square(), square()};
  model.functions[1].overload = "other";
  validate(model);
}

TEST(Validate, RefusesAFunctionThatIsDefinedTwice) {
  Model model = small_model();
  model.functions = {square(), square()};
  expect_refused(model, "function local.Square: it is defined twice");
}

TEST(Validate, KeepsTheValuesOfTheModelOutOfFunctions) {
  Model model = small_model();
  model.functions = {square()};
  model.functions[0].nodes[0].inputs[1] = "c";
  expect_refused(model,
                 "the_Mul (Mul): input c is neither an input of the graph, an initializer nor the output of a node");
}

TEST(Validate, RefusesAFunctionWhoseOutputNobodyMakes) {
  Model model = small_model();
  model.functions = {square()};
  model.functions[0].outputs[0] = "nothing";
  expect_refused(model, "function local.Square: output nothing is not the output of any node");
}

TEST(Validate, RefusesAFunctionThatImportsADomainTwice) {
  Model model = small_model();
  model.functions = {square()};
  model.functions[0].opset_imports = {{"ml", 1}, {"ml", 1}};
  expect_refused(model, "function local.Square: the operator set ml is imported twice");
}

}  // namespace
}  // namespace octet
