#include "octet/engine/reference_engine.h"

#include <gtest/gtest.h>

#include "octet/base/error.h"
#include "octet/octet.h"
#include "tests/support/models.h"

namespace octet {
namespace {

const Tensor kPair = Tensor::from<float>({2}, {1, -2});

Model identity(DType dtype, std::optional<SymbolicShape> shape) {
  return model_from("main (x) => (y) { y = Identity (x) }", {value("x", dtype, std::move(shape))});
}

std::string refusal(const Model& model, const NamedTensors& inputs) {
  std::string what;
  const ReferenceEngine engine(model);
  EXPECT_EQ(error_of([&] { engine.run(inputs); }, &what), ErrorCode::kUsage);
  return what;
}

std::string unsupported(const Model& model, ErrorCode code = ErrorCode::kUnsupported) {
  std::string what;
  EXPECT_EQ(error_of([&] { const ReferenceEngine engine(model); }, &what), code);
  return what;
}

TEST(ReferenceEngine, ReturnsTheOutputs) {
  const NamedTensors results = ReferenceEngine(identity(DType::kFloat, {{N()}})).run({{"x", kPair}});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(results.at("y").identical(kPair));
}

TEST(ReferenceEngine, KeepsEveryIntermediateValueWhenAsked) {
  const ReferenceEngine engine(model_from("main (x) => (c) { a = Identity (x)\n b = Identity (a)\n c = Identity (a) }",
                                          {value("x", DType::kFloat, {{N()}})}));
  EXPECT_EQ(engine.run({{"x", kPair}}).size(), 1U);
  const NamedTensors all = engine.run({{"x", kPair}}, {.keep_all = true});
  EXPECT_EQ(all.size(), 3U);
  EXPECT_TRUE(all.at("b").identical(kPair));
}

TEST(ReferenceEngine, ShowsEveryValueInTheOrderOfTheSteps) {
  const ReferenceEngine engine(
      model_from("main (x) => (c) { a = Neg (x)\n b = Neg (a)\n c = Neg (a) }", {value("x", DType::kFloat, {{N()}})}));
  std::vector<std::pair<std::string, float>> seen;
  const auto observe = [&](const std::string& name, const Tensor& tensor) {
    seen.emplace_back(name, tensor.as<float>()[0]);
  };
  EXPECT_EQ(engine.run({{"x", kPair}}, {.observe = observe}).size(), 1U);
  EXPECT_EQ(seen, (std::vector<std::pair<std::string, float>>{{"a", -1}, {"b", 1}, {"c", 1}}));
}

TEST(ReferenceEngine, SharesInitializersAndReturnsThemAsOutputs) {
  Model model = model_from("main () => (w, y) { y = Identity (w) }", {});
  add_initializer(model, "w", kPair);
  const NamedTensors results = ReferenceEngine(model).run({});
  EXPECT_EQ(results.at("y").bytes().data(), kPair.bytes().data());
  EXPECT_EQ(results.at("w").bytes().data(), kPair.bytes().data());
}

TEST(ReferenceEngine, LetsInputsOverrideTheInitializersTheyRepeat) {
  Model model = model_from("main (w) => (y) { y = Identity (w) }", {value("w", DType::kFloat, {{2}})});
  add_initializer(model, "w", kPair);
  const ReferenceEngine engine(model);
  EXPECT_TRUE(engine.run({}).at("y").identical(kPair));
  const Tensor other = Tensor::from<float>({2}, {5, 6});
  EXPECT_TRUE(engine.run({{"w", other}}).at("y").identical(other));
  EXPECT_TRUE(engine.run({}).at("y").identical(kPair));
}

TEST(ReferenceEngine, ReportsProgress) {
  const ReferenceEngine engine(
      model_from("main (x) => (b) { a = Identity (x)\n b = Identity (a) }", {value("x", DType::kFloat, {{N()}})}));
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  engine.run({{"x", kPair}},
             {.progress = [&](std::size_t done, std::size_t total) { seen.emplace_back(done, total); }});
  EXPECT_EQ(seen, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 2}, {2, 2}}));
}

TEST(ReferenceEngine, ExpandsFunctions) {
  Model model = model_from("main (x) => (y) { y = F (x) }", {value("x", DType::kFloat, {{N()}})});
  model.functions.push_back(function_from("F (A) => (B) { T = Identity (A)\n B = Identity (T) }", "", 21));
  const NamedTensors all = ReferenceEngine(model).run({{"x", kPair}}, {.keep_all = true});
  EXPECT_TRUE(all.at("y").identical(kPair));
  EXPECT_TRUE(all.at("y/T").identical(kPair));
}

TEST(ReferenceEngine, ChecksInputsAgainstTheirDeclaredTypes) {
  const Model model = identity(DType::kFloat, {{2, N()}});
  EXPECT_EQ(refusal(model, {{"x", Tensor(DType::kInt8, {2, 3})}}),
            "input x is int8[2,3], and the model wants float32[2,N]");
  EXPECT_EQ(refusal(model, {{"x", Tensor(DType::kFloat, {2})}}),
            "input x is float32[2], and the model wants float32[2,N]");
  EXPECT_EQ(refusal(model, {{"x", Tensor(DType::kFloat, {3, 3})}}),
            "input x is float32[3,3], and the model wants float32[2,N]");
  EXPECT_EQ(refusal(model, {}), "input x (float32[2,N]) is missing");
  EXPECT_EQ(refusal(model, {{"x", Tensor(DType::kFloat, {2, 3})}, {"z", kPair}}),
            "the model has no input z; it wants x");
}

TEST(ReferenceEngine, HoldsASymbolToOneMeaning) {
  const Model model = model_from("main (x, z) => (y) { y = Identity (x) }",
                                 {value("x", DType::kFloat, {{N()}}), value("z", DType::kFloat, {{N(), Dim()}})});
  EXPECT_EQ(refusal(model, {{"x", kPair}, {"z", Tensor(DType::kFloat, {3, 1})}}),
            "input z is float32[3,1], and the model wants float32[N,?], where N is 2 already");
}

TEST(ReferenceEngine, NamesTheOperatorsItDoesNotKnow) {
  Model model = model_from("main (x) => (y) { y = Mystery (x) }", {value("x", DType::kFloat, {{N()}})}, 13);
  EXPECT_EQ(unsupported(model), "y (Mystery): Octet does not know the operator Mystery of ai.onnx opset 13");
  model.graph.nodes[0].domain = "com.example";
  EXPECT_EQ(unsupported(model, ErrorCode::kModel),
            "y (Mystery): the model does not import the operators of com.example");
  model.opset_imports.emplace_back("com.example", 3);
  EXPECT_EQ(unsupported(model), "y (Mystery): Octet does not know the operator Mystery of com.example opset 3");
}

TEST(ReferenceEngine, RefusesNewerOpsets) {
  Model model = identity(DType::kFloat, {{N()}});
  model.opset_imports = {{"", kNewestOpset + 1}};
  EXPECT_EQ(unsupported(model), "the model is written in opset 26 of ai.onnx; Octet knows the opsets up to 25");
  model.opset_imports = {{"", (std::int64_t{1} << 32) + 13}};
  unsupported(model);
}

TEST(ReferenceEngine, RefusesGraphsInsideNodes) {
  Model model = model_from("main (x) => (y) { y = If (x) }", {value("x", DType::kBool, SymbolicShape{})});
  model.graph.nodes[0].subgraphs["then_branch"].graphs.resize(1);
  EXPECT_EQ(unsupported(model), "y (If): If runs a graph of its own; Octet runs straight networks only");
}

TEST(ReferenceEngine, RefusesTypesItDoesNotComputeWith) {
  for (const DType dtype : {DType::kString, DType::kFloat8E4M3FN, DType::kFloat4E2M1, DType::kComplex64}) {
    EXPECT_NE(unsupported(identity(dtype, {{N()}})).find("does not compute with"), std::string::npos);
    Model model = identity(DType::kFloat, {{N()}});
    add_initializer(model, "w", Tensor(dtype, {1}));
    EXPECT_NE(unsupported(model).find("initializer w is of type"), std::string::npos);
  }
  Model sequence = identity(DType::kUndefined, std::nullopt);
  sequence.graph.inputs[0].type.other = "a sequence";
  EXPECT_EQ(unsupported(sequence), "input x is not a tensor, and Octet computes with tensors only");
}

TEST(ReferenceEngine, PlacesErrorsAtTheNode) {
  Model model = identity(DType::kFloat, {{N()}});
  model.graph.nodes[0].inputs = {""};
  std::string what;
  const ReferenceEngine engine(model);
  EXPECT_TRUE(error_of([&] { engine.run({{"x", kPair}}); }, &what));
  EXPECT_EQ(what, "y (Identity): input 0 is missing");
}

}  // namespace
}  // namespace octet
