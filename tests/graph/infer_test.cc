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
