#include <gtest/gtest.h>

#include "octet/graph/index.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/graph/sort_nodes.h"
#include "octet/graph/unique_names.h"
#include "octet/graph/validate.h"
#include "tests/support/models.h"

namespace octet {
namespace {

Graph branch_from(std::string_view text) { return model_from(text, {}).graph; }

// The branches, and the node itself, all call what they give y.
Model branching_model() {
  Model model = model_from("main (x) => (z) { s = Shape (x) r = Size (s) c = Equal (r, two) y = If (c) z = Neg (y) }",
                           {value("x", DType::kFloat, {{N(), 3}})});
  add_initializer(model, "two", Tensor::scalar<std::int64_t>(2));
  Node& node = model.graph.nodes[3];
  node.name = "choose";
  node.subgraphs["then_branch"].graphs = {branch_from("then () => (y) { t = Relu (x) y = Add (t, w) }")};
  node.subgraphs["then_branch"].graphs[0].initializers.push_back({.name = "w", .tensor = Tensor::scalar(1.0F)});
  node.subgraphs["else_branch"].graphs = {branch_from("else () => (y) { y = Identity (x) }")};
  return model;
}

TEST(ValuesRead, AreThoseFromOutside) {
  const Model model = branching_model();
  EXPECT_EQ(values_read(model.graph.nodes[3]), (std::set<std::string>{"c", "x"}));
  // What a branch calls like the node's own output makes no cycle.
  const Model sorted = sort_nodes(model);
  EXPECT_EQ(sorted.graph.nodes[3].name, "choose");
  validate(sorted);
}

TEST(UniqueNames, TellBranchesApart) {
  const Model model = with_unique_names(branching_model());
  const Node& node = model.graph.nodes[3];
  const Graph &then = node.subgraphs.at("then_branch").graphs[0], &other = node.subgraphs.at("else_branch").graphs[0];
  EXPECT_EQ(node.outputs[0], "y");
  EXPECT_EQ(other.outputs[0].name, "y_1");
  EXPECT_EQ(then.outputs[0].name, "y_2");
  EXPECT_EQ(then.nodes[1].outputs[0], "y_2");
  EXPECT_EQ(then.nodes[0].inputs[0], "x");
  validate(model);
}

TEST(InlineBranches, TakesTheBranchThatFollowsFromShapes) {
  const Model model = inline_branches(with_unique_names(branching_model()));
  std::vector<std::string> names;
  for (const Node& node : model.graph.nodes) names.push_back(node.name.empty() ? node.op_type : node.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"Shape", "Size", "Equal", "choose/Relu", "choose/Add", "choose/y", "Neg"}));
  EXPECT_TRUE(find_initializer(model.graph, "w"));
  validate(model);
}

TEST(InlineBranches, LeavesWhatACallerDecides) {
  Model model = branching_model();
  model.graph.inputs.push_back(value("two", DType::kInt64, SymbolicShape{}));  // the initializer is a default
  EXPECT_EQ(inline_branches(with_unique_names(std::move(model))).graph.nodes[3].op_type, "If");
}

}  // namespace
}  // namespace octet
