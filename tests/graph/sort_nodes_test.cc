#include "octet/graph/sort_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "octet/graph/validate.h"
#include "tests/support/models.h"

namespace octet {
namespace {

std::string order_of(const std::vector<Node>& nodes) {
  std::string order;
  for (const Node& node : nodes) order += node.outputs[0];
  return order;
}

Model from_text(const std::string& text) { return model_from(text, {value("x", DType::kFloat, {{N()}})}); }

TEST(SortNodes, PutsEveryNodeBehindWhatItReads) {
  const Model sorted =
      sort_nodes(from_text("main (x) => (d) { d = Add (c, a)\n c = Add (b, a)\n b = Neg (a)\n a = Neg (x) }"));
  EXPECT_EQ(order_of(sorted.graph.nodes), "abcd");
  validate(sorted);
}

TEST(SortNodes, MovesNoneWithoutNeed) {
  EXPECT_EQ(
      order_of(sort_nodes(from_text("main (x) => (d) { c = Neg (x)\n a = Neg (x)\n d = Add (c, a)\n b = Neg (x) }"))
                   .graph.nodes),
      "cadb");
  // b waits for e; those behind it that don't, keep their places.
  EXPECT_EQ(order_of(sort_nodes(from_text("main (x) => (d) { a = Neg (x)\n b = Neg (e)\n c = Neg (x)\n e = Neg (x)\n"
                                          " d = Neg (b) }"))
                         .graph.nodes),
            "acebd");
}

TEST(SortNodes, LeavesACycleToValidation) {
  const Model sorted = sort_nodes(from_text("main (x) => (b) { b = Neg (a)\n a = Neg (b) }"));
  EXPECT_EQ(order_of(sorted.graph.nodes), "ba");
  EXPECT_THROW(validate(sorted), Error);
}

TEST(SortNodes, KnowsWhatSubgraphsReadAndSortsThemToo) {
  Model model = from_text("main (x) => (y) { y = If (x)\n a = Neg (x) }");
  GraphAttribute& branch = model.graph.nodes[0].subgraphs["then_branch"];
  branch.graphs.push_back(from_text("then () => (t) { t = Neg (s)\n s = Neg (a) }").graph);
  branch.graphs[0].inputs.clear();
  const Model sorted = sort_nodes(model);
  EXPECT_EQ(order_of(sorted.graph.nodes), "ay");
  EXPECT_EQ(order_of(sorted.graph.nodes[1].subgraphs.at("then_branch").graphs[0].nodes), "st");
}

TEST(SortNodes, SortsFunctions) {
  Model model = from_text("main (x) => (y) { y = Neg (x) }");
  model.functions.push_back(function_from("twice (p) => (r) { r = Neg (q)\n q = Neg (p) }", "com.example", 21));
  EXPECT_EQ(order_of(sort_nodes(model).functions[0].nodes), "qr");
}

}  // namespace
}  // namespace octet
