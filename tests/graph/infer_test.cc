#include "octet/graph/infer.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "octet/base/error.h"
#include "tests/support/models.h"

namespace octet {
namespace {

std::string shape_of(const Facts& facts, std::string_view name) {
  const auto fact = facts.find(name);
  if (fact == facts.end()) return "nothing";
  return std::string(octet::name(fact->second.dtype)) + (fact->second.shape ? to_string(*fact->second.shape) : "?");
}

TEST(Infer, CarriesSymbolsAlong) {
  const Model model = model_from("main (x) => (y) { a = Identity (x)\n y = Identity (a) }",
                                 {value("x", DType::kInt8, {{N(), 3, Dim()}})});
  const Facts facts = infer(model);
  EXPECT_EQ(shape_of(facts, "x"), "int8[N,3,?]");
  EXPECT_EQ(shape_of(facts, "y"), "int8[N,3,?]");
}

TEST(Infer, KnowsInitializersAndWhatFollowsFromThem) {
  Model model = model_from("main () => (y) { y = Identity (w) }", {});
  add_initializer(model, "w", Tensor::from<float>({2}, {1, 2}));
  const Facts facts = infer(model);
  EXPECT_TRUE(facts.at("w").constant.identical(Tensor::from<float>({2}, {1, 2})));
  EXPECT_TRUE(facts.at("y").constant.identical(Tensor::from<float>({2}, {1, 2})));
}

TEST(Infer, LetsTheKnownWinOverTheUnknown) {
  Model model = model_from("main (x) => (y) { y = Identity (x) }", {value("x", DType::kFloat, {{N(), Dim(), 7}})});
  model.graph.outputs[0] = value("y", DType::kFloat, {{5, Dim::symbol("M"), Dim::symbol("K")}});
  EXPECT_EQ(shape_of(infer(model), "y"), "float32[5,M,7]");
}

TEST(Infer, RefusesFilesThatContradictTheRules) {
  Model model = model_from("main (x) => (y) { y = Identity (x) }", {value("x", DType::kFloat, {{N(), 7}})});
  std::string what;
  model.graph.outputs[0] = value("y", DType::kFloat, {{N(), 8}});
  EXPECT_EQ(error_of([&] { infer(model); }, &what), ErrorCode::kModel);
  EXPECT_EQ(what, "y (Identity): y is float32[N,7], but the file says float32[N,8]");
  model.graph.outputs[0] = value("y", DType::kInt8, std::nullopt);
  EXPECT_EQ(error_of([&] { infer(model); }, &what), ErrorCode::kModel);
  EXPECT_EQ(what, "y (Identity): y is float32[N,7], but the file says int8 of unknown rank");
  model.graph.outputs[0] = value("y", DType::kFloat, {{7}});
  EXPECT_EQ(error_of([&] { infer(model); }), ErrorCode::kModel);
}

TEST(Infer, GoesOnPastAViolationWhenAskedTo) {
  Model model =
      model_from("main (x) => (y) { a = Identity (x)\n y = Identity (a) }", {value("x", DType::kFloat, {{N(), 7}})});
  model.graph.value_info = {value("a", DType::kFloat, {{N(), 8}})};
  std::vector<std::string> found;
  const Facts facts = infer(model, [&](const Error& error) { found.push_back(error.what()); });
  EXPECT_EQ(found, std::vector<std::string>{"a (Identity): a is float32[N,7], but the file says float32[N,8]"});
  EXPECT_EQ(shape_of(facts, "y"), "float32[N,8]");
}

TEST(CorrectShapes, LetsTheRulesWin) {
  Model model = model_from("main (x) => (y, z) { a = Identity (x)\n y = Identity (a)\n z = Abs (a) }",
                           {value("x", DType::kFloat, {{N(), 7}})});
  model.graph.value_info = {value("a", DType::kFloat, {{N(), 8}})};
  model.graph.outputs = {value("y", DType::kFloat, {{1}}), value("z", DType::kFloat, {{Dim::symbol("M"), 7}})};
  std::vector<std::string> said;
  const auto listen = [&](const Error& error) { said.emplace_back(error.what()); };
  const Model corrected = correct_shapes(model, listen);
  EXPECT_EQ(said, (std::vector<std::string>{"y (Identity): y is float32[N,7], but the file says float32[1]",
                                            "a (Identity): a is float32[N,7], but the file says float32[N,8]"}));
  EXPECT_EQ(to_string(*corrected.graph.outputs[0].type.shape), "[N,7]");
  EXPECT_EQ(to_string(*corrected.graph.outputs[1].type.shape), "[M,7]");  // no contradiction
  EXPECT_EQ(to_string(*corrected.graph.value_info[0].type.shape), "[N,7]");
  infer(corrected);
  // Another type is an error still.
  model.graph.outputs[0] = value("y", DType::kInt8, {{1}});
  EXPECT_EQ(error_of([&] { infer(correct_shapes(model, listen)); }), ErrorCode::kModel);
}

TEST(CorrectShapes, TakesAnInputsOwnWord) {
  Model model = model_from("main (x) => (x, y) { y = Identity (x) }", {value("x", DType::kFloat, {{2, 3}})});
  model.graph.outputs[0] = value("x", DType::kFloat, {{3, 2}});
  std::string what;
  EXPECT_EQ(error_of([&] { infer(model); }, &what), ErrorCode::kModel);
  EXPECT_EQ(what, "the graph's inputs: x is float32[2,3], but the file says float32[3,2]");
  std::vector<std::string> said;
  const auto listen = [&](const Error& error) { said.emplace_back(error.what()); };
  EXPECT_EQ(shape_of(infer(model, listen), "x"), "float32[2,3]");
  EXPECT_EQ(said, std::vector<std::string>{what});
  said.clear();
  const Model corrected = correct_shapes(model, listen);
  EXPECT_EQ(said, std::vector<std::string>{what});
  EXPECT_EQ(to_string(*corrected.graph.outputs[0].type.shape), "[2,3]");
  EXPECT_EQ(shape_of(infer(corrected), "y"), "float32[2,3]");
}

TEST(CorrectShapes, SpeaksOnceOfAValueHoweverOftenItIsDeclared) {
  Model model =
      model_from("main (x) => (y) { a = Identity (x)\n y = Identity (a) }", {value("x", DType::kFloat, {{2, 3}})});
  model.graph.value_info = {value("a", DType::kFloat, {{3, 2}}), value("a", DType::kFloat, {{3, 2}}),
                            value("y", DType::kFloat, {{2, 3}})};
  model.graph.outputs[0] = value("y", DType::kFloat, {{6}});  // the second word on y is wrong
  std::vector<std::string> said;
  const Model corrected = correct_shapes(model, [&](const Error& error) { said.emplace_back(error.what()); });
  EXPECT_EQ(said, (std::vector<std::string>{"y (Identity): y is float32[2,3], but the file says float32[6]",
                                            "a (Identity): a is float32[2,3], but the file says float32[3,2]"}));
  for (const auto* values : {&corrected.graph.value_info, &corrected.graph.outputs})
    for (const Value& one : *values) EXPECT_EQ(to_string(*one.type.shape), "[2,3]");
}

TEST(Infer, TakesTheFilesWordForUnknownOperators) {
  Model model =
      model_from("main (x) => (y) { a = Mystery (x)\n b = Mystery (a)\n y = Identity (a)\n z = Identity (b) }",
                 {value("x", DType::kFloat, {{1}})});
  model.graph.value_info = {value("a", DType::kUint8, {{N()}})};
  const Facts facts = infer(model);
  EXPECT_EQ(shape_of(facts, "a"), "uint8[N]");
  EXPECT_EQ(shape_of(facts, "y"), "uint8[N]");
  EXPECT_EQ(shape_of(facts, "b"), "nothing");
  EXPECT_EQ(shape_of(facts, "z"), "nothing");
}

TEST(Infer, LooksIntoFunctions) {
  Model model = model_from("main (x) => (y) { y = F (x) }", {value("x", DType::kFloat, {{N()}})});
  model.functions.push_back(function_from("F (A) => (B) { C = Identity (A)\n B = Identity (C) }", "", 21));
  const Facts facts = infer(model);
  EXPECT_EQ(shape_of(facts, "y"), "float32[N]");
  EXPECT_EQ(shape_of(facts, "y/C"), "float32[N]");
}

TEST(Infer, StopsBeforeShapesFillTheMemory) {
  Model model = model_from("main (x) => (x) { }", {value("x", DType::kFloat, SymbolicShape(100'000, N()))});
  for (int i = 0; i < 100; ++i) {
    Node node;
    node.op_type = "Identity";
    node.inputs = {i == 0 ? "x" : fmt::format("v{}", i - 1)};
    node.outputs = {fmt::format("v{}", i)};
    model.graph.nodes.push_back(node);
  }
  EXPECT_EQ(error_of([&] { infer(model); }), ErrorCode::kLimit);
}

TEST(Infer, CarriesTheBatchThroughANetwork) {
  Model model = model_from(R"(
main (x) => (y) {
   a = Conv <pads: ints = [1, 1, 1, 1], strides: ints = [2, 2]> (x, w)
   b = Relu (a)
   c = MaxPool <kernel_shape: ints = [2, 2], strides: ints = [2, 2]> (b)
   d = Flatten (c)
   y = Gemm (d, v)
})",
                           {value("x", DType::kFloat, {{N(), 3, 32, 32}})});
  add_initializer(model, "w", Tensor(DType::kFloat, {8, 3, 3, 3}));
  add_initializer(model, "v", Tensor(DType::kFloat, {8 * 8 * 8, 10}));
  const Facts facts = infer(model);
  EXPECT_EQ(shape_of(facts, "a"), "float32[N,8,16,16]");
  EXPECT_EQ(shape_of(facts, "c"), "float32[N,8,8,8]");
  EXPECT_EQ(shape_of(facts, "d"), "float32[N,512]");
  EXPECT_EQ(shape_of(facts, "y"), "float32[N,10]");
}

TEST(Infer, CarriesSymbolsThroughShapeArithmetic) {
  const Model model = model_from(R"(
main (x) => (y) {
   shape = Shape (x)
   zero = Constant <value_ints: ints = [0]> ()
   batch = Gather (shape, zero)
   rest = Constant <value_ints: ints = [-1]> ()
   wanted = Concat <axis: int = 0> (batch, rest)
   y = Reshape (x, wanted)
})",
                                 {value("x", DType::kFloat, {{N(), 3, 4}})});
  const Facts facts = infer(model);
  ASSERT_TRUE(facts.at("wanted").elements);
  EXPECT_EQ(*facts.at("wanted").elements, (std::vector<Dim>{N(), -1}));
  EXPECT_EQ(shape_of(facts, "y"), "float32[N,12]");
}

TEST(Infer, ComputesWhatFollowsFromKnownShapes) {
  const Model model = model_from(R"(
main (x) => (y) {
   shape = Shape (x)
   one = Constant <value_int: int = 1> ()
   larger = Add (shape, one)
   y = Expand (one, larger)
})",
                                 {value("x", DType::kFloat, {{2, 3}})});
  const Facts facts = infer(model);
  EXPECT_TRUE(facts.at("larger").constant.identical(Tensor::from<std::int64_t>({2}, {3, 4})));
  EXPECT_EQ(shape_of(facts, "y"), "int64[3,4]");
}

TEST(Infer, LeavesLargeConstantsToTheEngine) {
  Model model = model_from("main () => (y) { a = Identity (w)\n y = Relu (a) }", {});
  add_initializer(model, "w", Tensor(DType::kFloat, {1025}));
  const Facts facts = infer(model);
  EXPECT_FALSE(facts.at("a").constant.empty());
  EXPECT_TRUE(facts.at("y").constant.empty());
  EXPECT_EQ(shape_of(facts, "y"), "float32[1025]");
}

TEST(Infer, StopsFoldingWhenItHasCostEnough) {
  Model model = model_from("main () => (y) { y = Identity (w) }", {});
  add_initializer(model, "w", Tensor(DType::kFloat, {1024}));
  for (int i = 0; i < 5000; ++i) {
    Node node;
    node.op_type = "Relu";
    node.inputs = {"w"};
    node.outputs = {fmt::format("v{}", i)};
    model.graph.nodes.push_back(node);
  }
  const Facts facts = infer(model);
  EXPECT_FALSE(facts.at("v0").constant.empty());
  EXPECT_TRUE(facts.at("v4999").constant.empty());
  EXPECT_EQ(shape_of(facts, "v4999"), "float32[1024]");
}

TEST(Infer, PlacesBrokenConstraintsAtTheNode) {
  Model model = model_from("main (x) => (y) { y = Conv (x, w) }", {value("x", DType::kFloat, {{N(), 3, 8, 8}})});
  model.graph.nodes[0].name = "conv_1";
  add_initializer(model, "w", Tensor(DType::kFloat, {8, 4, 3, 3}));
  std::string what;
  EXPECT_EQ(error_of([&] { infer(model); }, &what), ErrorCode::kConstraint);
  EXPECT_TRUE(what.starts_with("conv_1 (Conv): ")) << what;
}

TEST(WithInferredTypes, FillsInWhatTheFileLeavesOut) {
  Model model =
      model_from("main (x) => (y) { a = Identity (x)\n y = Identity (a) }", {value("x", DType::kInt8, {{N()}})});
  model = with_inferred_types(model);
  ASSERT_EQ(model.graph.value_info.size(), 1U);
  EXPECT_EQ(model.graph.value_info[0].name, "a");
  EXPECT_EQ(model.graph.value_info[0].type.dtype, DType::kInt8);
  EXPECT_EQ(*model.graph.outputs[0].type.shape, SymbolicShape{N()});
}

TEST(BindDimensions, ReplacesASymbolEverywhere) {
  Model model =
      model_from("main (x) => (y) { y = Identity (x) }", {value("x", DType::kInt8, {{N(), Dim::symbol("M")}})});
  model.graph.outputs[0] = value("y", DType::kInt8, {{N(), Dim()}});
  model = bind_dimensions(model, {{"N", 4}});
  EXPECT_EQ(shape_of(infer(model), "y"), "int8[4,M]");
  EXPECT_EQ(*model.graph.outputs[0].type.shape, (SymbolicShape{4, Dim()}));
}

TEST(BindDimensions, NamesTheSymbolsThereAre) {
  const Model model = model_from("main (x) => (x) { }", {value("x", DType::kInt8, {{N(), Dim::symbol("M"), 3}})});
  std::string what;
  EXPECT_EQ(error_of([&] { bind_dimensions(model, {{"K", 1}}); }, &what), ErrorCode::kUsage);
  EXPECT_EQ(what, "the model has no dimension K; those with a name are M, N");
  EXPECT_EQ(error_of([&] { bind_dimensions(model, {{"N", -1}}); }), ErrorCode::kUsage);
}

}  // namespace
}  // namespace octet
