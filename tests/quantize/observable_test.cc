#include "octet/quantize/observable.h"

#include <gtest/gtest.h>

#include "octet/quantize/plan.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

const ValueType kPairs = {.dtype = DType::kFloat, .shape = SymbolicShape{Dim::symbol("N"), 2}};

Value pairs_named(const char* name) { return {.name = name, .type = kPairs}; }

// x -> MatMul -> a -> Mystery -> b -> MatMul -> y, with the types of all declared.
Model network_with_mystery() {
  Model model;
  model.ir_version = 8;
  model.opset_imports = {{"", 28}, {"com.example", 1}};
  model.graph = {
      .name = "mystery",
      .nodes = {{.name = "first", .op_type = "MatMul", .inputs = {"x", "w"}, .outputs = {"a"}},
                {.name = "riddle", .op_type = "Mystery", .domain = "com.example", .inputs = {"a"}, .outputs = {"b"}},
                {.name = "second", .op_type = "MatMul", .inputs = {"b", "w"}, .outputs = {"y"}}},
      .initializers = {{.name = "w", .tensor = Tensor::from<float>({2, 2}, {1, 2, 3, 4})}},
      .inputs = {pairs_named("x")},
      .outputs = {pairs_named("y")},
      .value_info = {pairs_named("a"), pairs_named("b")}};
  return model;
}

TEST(Observable, EndsBeforeOperatorsThatOctetDoesNotCompute) {
  const auto lost = unobservable_values(network_with_mystery());
  EXPECT_EQ(lost, (std::map<std::string, std::string>{{"b", "riddle (Mystery)"}, {"y", "riddle (Mystery)"}}));
  const Model part = observable_part(network_with_mystery());
  ASSERT_EQ(part.graph.nodes.size(), 1U);
  EXPECT_EQ(part.graph.nodes[0].name, "first");
  ASSERT_EQ(part.graph.outputs.size(), 1U);
  EXPECT_EQ(part.graph.outputs[0].name, "a");
}

TEST(Observable, IsTheWholeModelWhereOctetComputesAll) {
  Model model = network_with_mystery();
  for (const char* known : {"Relu", "Shrink"}) {  // an operator, and a function of the standard
    model.graph.nodes[1].domain = "";
    model.graph.nodes[1].op_type = known;
    EXPECT_TRUE(unobservable_values(model).empty());
    EXPECT_EQ(observable_part(model).graph.nodes.size(), 3U);
  }
}

TEST(Observable, RefusesModelsOfWhichNothingIsLeft) {
  Model model = network_with_mystery();
  std::swap(model.graph.nodes[0], model.graph.nodes[1]);
  model.graph.nodes[0].inputs = {"x"};
  model.graph.nodes[1].inputs = {"b", "w"};
  const Error error = failure_of([&] { observable_part(model); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_NE(error.message().find("riddle (Mystery)"), std::string::npos);
}

TEST(Plan, KeepsWhatCantBeObservedFloat) {
  const Model model = network_with_mystery();
  const Ranges seen = {{"x", {-1, 1}}, {"a", {-2, 2}}};
  const Plan some = plan(model, seen, {}, Selection());
  EXPECT_TRUE(some.nodes[0].rule && !some.nodes[1].rule && !some.nodes[2].rule);
  EXPECT_EQ(some.nodes[2].reason,
            "b depends on riddle (Mystery), which Octet does not compute: its range is not known");
  EXPECT_EQ(tensors_to_observe(model, {}, Selection()), (std::set<std::string>{"x", "a"}));
  // Ranges from elsewhere serve.
  const Plan all = plan(model, {{"x", {-1, 1}}, {"a", {-2, 2}}, {"b", {0, 1}}, {"y", {0, 1}}}, {}, Selection());
  EXPECT_TRUE(all.nodes[0].rule && !all.nodes[1].rule && all.nodes[2].rule);
}

}  // namespace
}  // namespace octet
