// If, Loop and Scan, on every engine.
#include <gtest/gtest.h>

#include <thread>

#include "octet/base/memory_budget.h"
#include "octet/base/trip_limit.h"
#include "octet/engine/reference_engine.h"
#include "octet/program/memory_plan.h"
#include "tests/program/memory_plan_check.h"
#include "tests/support/engines.h"
#include "tests/support/models.h"

namespace octet {
namespace {

// The graph of a node: the body of a function, with inputs of these types.
Graph graph_from(std::string_view text, std::vector<Value> inputs = {}) {
  return model_from(text, std::move(inputs)).graph;
}

void set_graph(Model& model, std::size_t node, const std::string& attribute, Graph graph) {
  model.graph.nodes[node].subgraphs[attribute].graphs = {std::move(graph)};
}

Tensor floats(const std::vector<float>& values) {
  return Tensor::from<float>({static_cast<std::int64_t>(values.size())}, std::span<const float>(values));
}

Tensor truth(bool value) { return Tensor::scalar<bool>(value); }

// y is x + x where a is true, and r = Relu(x), which nobody else reads, where it is not.
Model choosing_model() {
  Model model = model_from("main (a, x) => (y) { r = Relu (x) y = If (a) }",
                           {value("a", DType::kBool, SymbolicShape{}), value("x", DType::kFloat, {{N()}})});
  set_graph(model, 1, "then_branch", graph_from("then () => (t) { t = Add (x, x) }"));
  set_graph(model, 1, "else_branch", graph_from("else () => (r) { }"));
  return model;
}

TEST(If, TakesTheBranchOfItsCondition) {
  const Model model = choosing_model();
  for (const Policy policy : {Policy::kAsWritten, Policy::kExact, Policy::kOnnxRuntime}) {
    const Program program = lowered(model, policy);
    EXPECT_EQ(run_every_engine(program, {{"a", truth(true)}, {"x", floats({-1, 2})}}).at("y"), floats({-2, 4}));
    EXPECT_EQ(run_every_engine(program, {{"a", truth(false)}, {"x", floats({-1, 2})}}).at("y"), floats({0, 2}));
  }
}

TEST(If, CountsWhatItsBranchesReadAsItsInputs) {
  const Program program = lowered(choosing_model(), Policy::kExact);
  const Step& step = program.steps.back();
  std::vector<std::string> names;
  for (const ValueId input : inputs_of(program, step)) names.push_back(program.values[input].name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "r", "x"}));
  EXPECT_EQ(step.reason,
            "which branch it takes is known only at run time; 0 of 1 computing step inside its graphs are quantized");
  EXPECT_EQ(step.opaque, "which branch it takes is known only at run time");
  EXPECT_EQ(step.kind, StepKind::kFloat);
}

TEST(If, SaysWhereInABranchItWentWrong) {
  Model model = choosing_model();
  model.graph.nodes[1].name = "choose";
  set_graph(model, 1, "then_branch", graph_from("then () => (t) { t = MatMul (x, a) }"));
  const Program program = lowered(model, Policy::kAsWritten);
  for (const auto& engine : every_engine(program)) {
    const NamedTensors inputs = {{"a", truth(true)}, {"x", floats({1})}};
    try {
      engine->run(inputs);
      ADD_FAILURE() << engine->name();
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "choose (If): then_branch: t (MatMul)") << engine->name();
    }
    EXPECT_EQ(engine->run({{"a", truth(false)}, {"x", floats({1})}}).at("y"), floats({1}));
  }
}

TEST(If, TakesABranchThatIsKnownBeforeItRuns) {
  Model model = choosing_model();
  model.graph.inputs.erase(model.graph.inputs.begin());
  add_initializer(model, "a", truth(true));
  for (const Policy policy : {Policy::kAsWritten, Policy::kExact}) {
    const Program program = lowered(model, policy);
    for (const Step& step : program.steps) EXPECT_NE(step.operations.front().op->name, "If");
    EXPECT_EQ(run_every_engine(program, {{"x", floats({-1, 2})}}).at("y"), floats({-2, 4}));
  }
}

TEST(If, LeavesAConditionToTheCallerWhoMayReplaceIt) {
  Model model = choosing_model();
  add_initializer(model, "a", truth(true));
  const Program program = lowered(model, Policy::kExact);
  EXPECT_EQ(run_every_engine(program, {{"x", floats({-1})}}).at("y"), floats({-2}));
  EXPECT_EQ(run_every_engine(program, {{"a", truth(false)}, {"x", floats({-1})}}).at("y"), floats({0}));
}

TEST(If, KnowsNamesOfItsBranchesApart) {
  // Both branches, and the node itself, call what they give y; and the graph has a t of its own behind it.
  Model model = model_from("main (a, x) => (t) { y = If (a) t = Neg (y) }",
                           {value("a", DType::kBool, SymbolicShape{}), value("x", DType::kFloat, {{N()}})});
  set_graph(model, 0, "then_branch", graph_from("then () => (y) { t = Add (x, x) y = Relu (t) }"));
  set_graph(model, 0, "else_branch", graph_from("else () => (y) { y = Identity (x) }"));
  for (const bool known : {false, true}) {
    Model here = model;
    NamedTensors inputs = {{"x", floats({3})}};
    if (known) {
      here.graph.inputs.erase(here.graph.inputs.begin());
      add_initializer(here, "a", truth(true));
    } else {
      inputs["a"] = truth(true);
    }
    const Program program = lowered(here, Policy::kExact);
    EXPECT_EQ(run_every_engine(program, inputs).at("t"), floats({-6}));
    EXPECT_EQ(run_every_engine(lowered(to_model(program), Policy::kExact), inputs).at("t"), floats({-6}));
  }
}

TEST(If, CostsNoMoreThanItsNodesHoweverDeepItIs) {
  Graph inner = graph_from("last () => (t) { t = Add (x, x) }");
  for (int depth = 0; depth < 30; ++depth) {
    Model around = model_from("then () => (t) { t = If (a) }", {});
    set_graph(around, 0, "then_branch", inner);
    set_graph(around, 0, "else_branch", graph_from("else () => (e) { e = Neg (x) }"));
    inner = around.graph;
  }
  Model model = model_from("main (a, x) => (y) { y = If (a) }",
                           {value("a", DType::kBool, SymbolicShape{}), value("x", DType::kFloat, {{N()}})});
  set_graph(model, 0, "then_branch", inner);
  set_graph(model, 0, "else_branch", graph_from("else () => (e) { e = Neg (x) }"));
  const Program program = lowered(model, Policy::kExact);
  EXPECT_EQ(run_every_engine(program, {{"a", truth(true)}, {"x", floats({2})}}).at("y"), floats({4}));
  EXPECT_EQ(*program.values[program.outputs[0]].shape, SymbolicShape{N()});
}

TEST(If, ComputesIntegersInsideItsBranchesWithTheArithmeticOfIntegers) {
  Model model = model_from("main (a, x) => (y) { y = If (a) }",
                           {value("a", DType::kBool, SymbolicShape{}), value("x", DType::kUint8, {{1, 1}})});
  set_graph(model, 0, "then_branch", graph_from("then () => (t) { t = QLinearMatMul (x, s, z, w, s, z, o, z) }"));
  set_graph(model, 0, "else_branch", graph_from("else () => (e) { e = Identity (x) }"));
  add_initializer(model, "s", Tensor::scalar(0.5F));
  add_initializer(model, "o", Tensor::scalar(1.0F));
  add_initializer(model, "z", Tensor::scalar<std::uint8_t>(0));
  add_initializer(model, "w", Tensor::from<std::uint8_t>({1, 1}, {2}));
  const Program program = lowered(model, Policy::kExact);
  const NamedTensors inputs = {{"a", truth(true)}, {"x", Tensor::from<std::uint8_t>({1, 1}, {3})}};
  const auto result = [&](const EngineOptions& options) {
    return ReferenceEngine(program, options).run(inputs).at("y").int_at(0);
  };
  EXPECT_EQ(result({}), 2);  // 1.5, ties to even
  EXPECT_EQ(result({.arithmetic = arithmetic_named("truncate")}), 1);
  EXPECT_EQ(result({.arithmetic = arithmetic_named("truncate"), .integer_steps_only = true}), 1);
}

TEST(If, KeepsWhatItsBranchesReadInMemory) {
  // r is read by the branches alone, after s has been made and is gone.
  Model model = model_from("main (a, x) => (y) { r = Relu (x) s = Neg (x) u = Abs (s) v = Abs (u) y = If (a) }",
                           {value("a", DType::kBool, SymbolicShape{}), value("x", DType::kFloat, {{64}})});
  set_graph(model, 4, "then_branch", graph_from("then () => (t) { t = Add (r, v) }"));
  set_graph(model, 4, "else_branch", graph_from("else () => (e) { e = Sub (r, v) }"));
  const Program program = lowered(model, Policy::kExact);
  EXPECT_EQ(wrong_with_plan(program, plan_memory(program, {}), {}), "");
  const Tensor x(DType::kFloat, {64});
  EXPECT_EQ(run_every_engine(program, {{"a", truth(true)}, {"x", x}}).at("y"), x);
}

Value float_state(const char* name) { return value(name, DType::kFloat, std::nullopt); }

// Adds x to the state until the count or the body's condition ends it, and keeps each sum.
Model summing_model() {
  Model model = model_from("main (m, c, x) => (y, z) { y, z = Loop (m, c, x) }",
                           {value("m", DType::kInt64, SymbolicShape{}), value("c", DType::kBool, SymbolicShape{}),
                            value("x", DType::kFloat, {{2}})});
  set_graph(model, 0, "body",
            graph_from("body (i, go, s) => (go2, t, k) { t = Add (s, x) k = Identity (t) go2 = Identity (go) }",
                       {value("i", DType::kInt64, SymbolicShape{}), value("go", DType::kBool, SymbolicShape{}),
                        float_state("s")}));
  model.graph.nodes[0].subgraphs["body"].graphs[0].outputs[2] = value("k", DType::kFloat, {{2}});
  return model;
}

TEST(Loop, CarriesStatesAndStacksSlices) {
  const Program program = lowered(summing_model(), Policy::kExact);
  const auto run = [&](std::int64_t m, bool c) {
    return run_every_engine(program, {{"m", Tensor::scalar(m)}, {"c", truth(c)}, {"x", floats({1, 2})}});
  };
  EXPECT_EQ(run(2, true).at("y"), floats({3, 6}));
  EXPECT_EQ(run(2, true).at("z"), Tensor::from<float>({2, 2}, {2, 4, 3, 6}));
  EXPECT_EQ(run(0, true).at("y"), floats({1, 2}));
  EXPECT_EQ(run(0, true).at("z").shape(), (Shape{0, 2}));
  EXPECT_EQ(run(7, false).at("y"), floats({1, 2}));
  EXPECT_EQ(run(7, true).at("z").shape(), (Shape{7, 2}));
  EXPECT_EQ(program.steps[0].opaque, "how often its graph runs is known only at run time");
}

TEST(Loop, EndsWhenItIsAskedTo) {
  Model model = summing_model();
  model.graph.nodes[0].outputs = {"y"};  // nothing that grows
  model.graph.outputs.pop_back();
  model.graph.nodes[0].subgraphs["body"].graphs[0].outputs.pop_back();
  const Program program = lowered(model, Policy::kExact);
  for (const auto& engine : every_engine(program)) {
    std::stop_source source;
    std::jthread asks([&] { source.request_stop(); });
    EXPECT_EQ(error_of([&] {
                engine->run({{"m", Tensor::scalar(std::int64_t{1} << 62)}, {"c", truth(true)}, {"x", floats({1, 2})}},
                            {.stop = source.get_token()});
              }),
              ErrorCode::kCancelled);
  }
}

TEST(Loop, IsBoundByTheMemoryThatItsSlicesTake) {
  const Program program = lowered(summing_model(), Policy::kExact);
  for (const auto& engine : every_engine(program)) {
    const MemoryBudget budget(1 << 16);
    EXPECT_EQ(error_of([&] {
                engine->run({{"m", Tensor::scalar(std::int64_t{1} << 62)}, {"c", truth(true)}, {"x", floats({1, 2})}});
              }),
              ErrorCode::kLimit);
  }
}

TEST(Loop, MakesAsManyTripsAsItsCallerAllows) {
  const Program program = lowered(summing_model(), Policy::kExact);
  const NamedTensors inputs = {{"m", Tensor::scalar<std::int64_t>(3)}, {"c", truth(true)}, {"x", floats({1, 2})}};
  for (const auto& engine : every_engine(program)) {
    {
      const TripLimit limit(2);
      EXPECT_EQ(error_of([&] { engine->run(inputs); }), ErrorCode::kLimit);
      std::thread([&] { EXPECT_EQ(engine->run(inputs).at("z").shape(), (Shape{3, 2})); }).join();  // it has no limit
    }
    const TripLimit limit(3);
    EXPECT_EQ(engine->run(inputs).at("z").shape(), (Shape{3, 2}));
  }
}

TEST(Loop, RefusesSlicesOfAnotherShape) {
  Model model = summing_model();
  set_graph(model, 0, "body",
            graph_from("body (i, go, s) => (go2, t, t) { t = Concat <axis: int = 0> (s, x) go2 = Identity (go) }",
                       {value("i", DType::kInt64, SymbolicShape{}), value("go", DType::kBool, SymbolicShape{}),
                        float_state("s")}));
  const ReferenceEngine engine(lowered(model, Policy::kExact));
  try {
    engine.run({{"m", Tensor::scalar(std::int64_t{2})}, {"c", truth(true)}, {"x", floats({1, 2})}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.constraint(), "loop_c6");
    EXPECT_EQ(error.where(), "y (Loop)");
  }
}

TEST(Scan, ReadsAndWritesEitherWay) {
  Model model = model_from(
      "main (s, x) => (y, z) { y, z = Scan <num_scan_inputs: int = 1, scan_input_directions: ints = [1], "
      "scan_output_axes: ints = [1], scan_output_directions: ints = [1]> (s, x) }",
      {value("s", DType::kFloat, {{2}}), value("x", DType::kFloat, {{N(), 2}})});
  set_graph(
      model, 0, "body",
      graph_from("body (a, b) => (c, d) { c = Add (a, b) d = Identity (c) }", {float_state("a"), float_state("b")}));
  const Program program = lowered(model, Policy::kExact);
  const NamedTensors results =
      run_every_engine(program, {{"s", floats({0, 100})}, {"x", Tensor::from<float>({3, 2}, {1, 2, 3, 4, 5, 6})}});
  EXPECT_EQ(results.at("y"), floats({9, 112}));
  EXPECT_EQ(results.at("z"), Tensor::from<float>({2, 3}, {9, 8, 5, 112, 110, 106}));
  EXPECT_EQ(*program.values[program.outputs[1]].shape, (SymbolicShape{2, N()}));
}

}  // namespace
}  // namespace octet
