#include "octet/graph/expand_functions.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "octet/base/error.h"
#include "octet/graph/infer.h"
#include "octet/spec/operator.h"
#include "tests/support/models.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

// Calls in the text of a model have no domain: the functions live in ai.onnx here, where a model may define its own.
Model with_functions(std::string_view text, std::initializer_list<std::string_view> functions, int opset = 21) {
  Model model = model_from(text, {value("x", DType::kFloat, SymbolicShape{2})});
  for (const std::string_view function : functions) model.functions.push_back(function_from(function, "", opset));
  return model;
}

std::vector<std::string> ops(const Model& model) {
  std::vector<std::string> list;
  for (const Node& node : model.graph.nodes) list.push_back(node.op_type);
  return list;
}

TEST(ExpandFunctions, PutsTheBodyInPlaceOfTheCall) {
  const Model model = expand_functions(
      with_functions("main (x) => (y) { y = Twice (x) }", {"Twice (A) => (B) { T = Relu (A)\n B = Add (T, T) }"}));
  EXPECT_TRUE(model.functions.empty());
  ASSERT_EQ(ops(model), (std::vector<std::string>{"Relu", "Add"}));
  EXPECT_EQ(model.graph.nodes[0].inputs, (std::vector<std::string>{"x"}));
  EXPECT_EQ(model.graph.nodes[0].outputs, (std::vector<std::string>{"y/T"}));
  EXPECT_EQ(model.graph.nodes[0].name, "y/Relu");
  EXPECT_EQ(model.graph.nodes[1].inputs, (std::vector<std::string>{"y/T", "y/T"}));
  EXPECT_EQ(model.graph.nodes[1].outputs, (std::vector<std::string>{"y"}));
}

TEST(ExpandFunctions, NamesTheNodesOfACallApart) {
  const Model model = expand_functions(
      with_functions("main (x) => (y) { y = Thrice (x) }", {"Thrice (A) => (B) { T = Add (A, A)\n B = Add (T, A) }"}));
  EXPECT_EQ(model.graph.nodes[0].name, "y/Add");
  EXPECT_EQ(model.graph.nodes[1].name, "y/Add_2");
  Model named = with_functions("main (x) => (y) { y = F (x) }",
                               {"F (A) => (B) { S = Add (A, A)\n T = Add (S, A)\n B = Add (T, A) }"});
  named.functions[0].nodes[2].name = "Add_2";
  named = expand_functions(std::move(named));
  EXPECT_EQ(named.graph.nodes[2].name, "y/Add_2_2");
}

TEST(ExpandFunctions, LeavesTheStandardsOwnToWhoeverWritesThem) {
  const Model model =
      with_functions("main (x) => (y) { y = Own (x) }", {"Own (A) => (B) { B = MeanVarianceNormalization (A) }"});
  EXPECT_EQ(ops(expand_own_functions(model)), std::vector<std::string>{"MeanVarianceNormalization"});
  EXPECT_EQ(std::ranges::count(ops(expand_functions(model)), "MeanVarianceNormalization"), 0);
}

TEST(ExpandFunctions, GivesParametersTheCallsValuesThenDefaultsThenNothing) {
  const Model model = expand_functions(
      with_functions("main (x) => (y) { y = F <alpha: float = 3> (x) }",
                     {"F <alpha: float = 1, beta: float = 2, gamma: float> (A) => (B) {"
                      " B = Elu <alpha: float = @alpha, beta: float = @beta, gamma: float = @gamma> (A) }"}));
  const Attributes& attributes = model.graph.nodes[0].attributes;
  EXPECT_EQ(attributes.get_float("alpha", 0), 3);
  EXPECT_EQ(attributes.get_float("beta", 0), 2);
  EXPECT_FALSE(attributes.has("gamma"));
}

TEST(ExpandFunctions, ExpandsNestedCalls) {
  const Model model = expand_functions(with_functions(
      "main (x) => (y) { y = Outer (x) }",
      {"Inner (A) => (B) { T = Relu (A)\n B = Neg (T) }", "Outer (A) => (B) { M = Inner (A)\n B = Inner (M) }"}));
  EXPECT_EQ(ops(model), (std::vector<std::string>{"Relu", "Neg", "Relu", "Neg"}));
  EXPECT_EQ(model.graph.nodes[0].outputs, (std::vector<std::string>{"y/Inner/T"}));
  EXPECT_EQ(model.graph.nodes[1].outputs, (std::vector<std::string>{"y/M"}));
  EXPECT_EQ(model.graph.nodes[2].outputs, (std::vector<std::string>{"y/Inner_2/T"}));
  EXPECT_EQ(model.graph.nodes[3].outputs, (std::vector<std::string>{"y"}));
}

TEST(ExpandFunctions, NeverTakesANameThatIsThere) {
  Model model =
      with_functions("main (x) => (z) { y = F (x)\n z = F (y) }", {"F (A) => (B) { T = Relu (A)\n B = Neg (T) }"});
  model.graph.nodes[0].name = model.graph.nodes[1].name = "call";
  add_initializer(model, "call_2/T", Tensor::scalar(1.0F));
  model = expand_functions(model);
  EXPECT_EQ(model.graph.nodes[0].outputs, (std::vector<std::string>{"call/T"}));
  EXPECT_EQ(model.graph.nodes[2].outputs, (std::vector<std::string>{"call_3/T"}));
}

TEST(ExpandFunctions, PassesAbsentInputsAndUnwantedOutputsOn) {
  Model model =
      with_functions("main (x) => (y) { y = F (x) }", {"F (A, C) => (B, D) { B = Clip (A, \"\", C)\n D = Neg (A) }"});
  model = expand_functions(model);
  EXPECT_EQ(model.graph.nodes[0].inputs, (std::vector<std::string>{"x", "", ""}));
  EXPECT_EQ(model.graph.nodes[1].outputs, (std::vector<std::string>{"y/D"}));
}

TEST(ExpandFunctions, CopiesOutputsThatAreInputs) {
  const Model model = expand_functions(with_functions("main (x) => (y, z) { y, z = F (x) }", {"F (A) => (A, A) { }"}));
  ASSERT_EQ(ops(model), (std::vector<std::string>{"Identity", "Identity"}));
  EXPECT_EQ(model.graph.nodes[1].inputs, (std::vector<std::string>{"x"}));
  EXPECT_EQ(model.graph.nodes[1].outputs, (std::vector<std::string>{"z"}));
}

TEST(ExpandFunctions, ChoosesTheOverload) {
  Model model = with_functions("main (x) => (y) { y = F (x) }", {"F (A) => (B) { B = Relu (A) }"});
  model.functions.push_back(function_from("F (A) => (B) { B = Neg (A) }", "", 21));
  model.functions[1].overload = "negative";
  EXPECT_EQ(ops(expand_functions(model)), std::vector<std::string>{"Relu"});
  model.graph.nodes[0].overload = "negative";
  EXPECT_EQ(ops(expand_functions(model)), std::vector<std::string>{"Neg"});
}

TEST(ExpandFunctions, KeepsTheOpsetOfABodyWhereItMattersOnly) {
  const char* call = "main (x) => (y) { y = F (x) }";
  const char* body = "F (A) => (B) { B = Identity (A) }";
  EXPECT_EQ(expand_functions(with_functions(call, {body}, 21)).graph.nodes[0].opset, 0);
  EXPECT_EQ(expand_functions(with_functions(call, {body}, 22)).graph.nodes[0].opset, 0);
  EXPECT_EQ(expand_functions(with_functions(call, {body}, 13)).graph.nodes[0].opset, 13);
}

TEST(ExpandFunctions, ImportsDomainsThatOnlyAFunctionImports) {
  Model model = with_functions("main (x) => (y) { y = F (x) }", {"F (A) => (B) { B = G (A) }"});
  model.functions[0].nodes[0].domain = "com.example";
  model.functions[0].opset_imports.emplace_back("com.example", 3);
  model = expand_functions(model);
  EXPECT_EQ(model.opset("com.example"), 3);
  EXPECT_EQ(model.opset(model.graph.nodes[0]), 3);
}

TEST(ExpandFunctions, RenamesInsideSubgraphsAndExpandsThere) {
  Model model = with_functions("main (x) => (y) { y = F (x) }",
                               {"F (A) => (B) { C = Neg (A)\n B = If (C) }", "G (A) => (B) { B = Relu (A) }"});
  Graph branch;
  branch.nodes = parse_function("then (A) => (R) { L = G (C)\n R = Add (L, A) }", Node()).nodes;
  branch.outputs = {value("R", DType::kFloat, std::nullopt)};
  model.functions[0].nodes[1].subgraphs["then_branch"].graphs = {branch};
  model = expand_functions(model);
  const Graph& expanded = model.graph.nodes[1].subgraphs.at("then_branch").graphs[0];
  ASSERT_EQ(expanded.nodes.size(), 2U);
  EXPECT_EQ(expanded.nodes[0].op_type, "Relu");
  EXPECT_EQ(expanded.nodes[0].inputs, (std::vector<std::string>{"y/C"}));
  EXPECT_EQ(expanded.nodes[1].inputs, (std::vector<std::string>{"y/L", "x"}));
  EXPECT_EQ(expanded.outputs[0].name, "y/R");
}

TEST(ExpandFunctions, RefusesRecursion) {
  std::string what;
  EXPECT_EQ(error_of(
                [] {
                  expand_functions(with_functions("main (x) => (y) { y = F (x) }",
                                                  {"F (A) => (B) { B = G (A) }", "G (A) => (B) { B = F (A) }"}));
                },
                &what),
            ErrorCode::kModel);
  EXPECT_EQ(what, "y/G/F (F): function F calls itself");
}

TEST(ExpandFunctions, RefusesTooManyInputsAndOutputs) {
  std::string what;
  EXPECT_EQ(error_of([] { expand_functions(with_functions("main (x) => (y) { y = F (x, x) }", {"F (A) => (B) {}"})); },
                     &what),
            ErrorCode::kModel);
  EXPECT_EQ(what, "y (F): 2 inputs, where F has 1");
  EXPECT_EQ(error_of([] { expand_functions(with_functions("main (x) => (y) { y, z = F (x) }", {"F (A) => (B) {}"})); },
                     &what),
            ErrorCode::kModel);
  EXPECT_EQ(what, "y (F): 2 outputs, where F has 1");
}

// f_k calls f_(k-1) ten times; f_0 has the given body.
Model tower(int height, std::string_view body) {
  Model model = with_functions(fmt::format("main (x) => (y) {{ y = F{} (x) }}", height), {body});
  for (int k = 1; k <= height; ++k) {
    std::string text = fmt::format("F{} (A) => (B) {{", k);
    for (int i = 0; i < 10; ++i) text += fmt::format(" V{} = F{} (A)\n", i, k - 1);
    model.functions.push_back(function_from(text + " B = Identity (A) }", "", 21));
  }
  return model;
}

TEST(ExpandFunctions, StopsAtAMillionNodes) {
  EXPECT_EQ(ops(expand_functions(tower(3, "F0 (A) => (B) { B = Relu (A) }"))).size(), 1000U + 111U);
  if (kSanitized) return;  // a million nodes take most of a minute
  std::string what;
  EXPECT_EQ(error_of([] { expand_functions(tower(6, "F0 (A) => (B) { B = Relu (A) }")); }, &what), ErrorCode::kLimit);
  EXPECT_NE(what.find("more than 1000000 nodes"), std::string::npos) << what;
  // Calls count even when they leave nothing behind.
  EXPECT_EQ(error_of([] { expand_functions(tower(30, "F0 (A) => (B) { }")); }), ErrorCode::kLimit);
}

TEST(ExpandFunctions, StopsAtAHundredNestedCalls) {
  Model model = with_functions("main (x) => (y) { y = F200 (x) }", {"F0 (A) => (B) { B = Relu (A) }"});
  for (int k = 1; k <= 200; ++k)
    model.functions.push_back(function_from(fmt::format("F{} (A) => (B) {{ B = F{} (A) }}", k, k - 1), "", 21));
  EXPECT_EQ(error_of([&] { expand_functions(model); }), ErrorCode::kLimit);
}

TEST(ExpandFunctions, StopsBeforeLongNamesFillTheMemory) {
  Model model = tower(5, "F0 (A) => (B) { B = Relu (A) }");
  model.graph.nodes[0].name = std::string(1 << 20, 'x');
  std::string what;
  EXPECT_EQ(error_of([&] { expand_functions(model); }, &what), ErrorCode::kLimit);
  EXPECT_NE(what.find("MiB"), std::string::npos);
}

TEST(ExpandFunctions, StopsBeforeLongAttributesFillTheMemory) {
  Model model = tower(5, "F0 (A) => (B) { B = Relu (A) }");
  model.functions[0].nodes[0].attributes.set("list", std::vector<std::int64_t>(1 << 20));
  EXPECT_EQ(error_of([&] { expand_functions(model); }), ErrorCode::kLimit);
}

}  // namespace
}  // namespace octet
