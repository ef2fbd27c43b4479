#include "octet/inspect/inspect.h"

#include <gtest/gtest.h>

#include "octet/inspect/report_text.h"
#include "tests/support/models.h"
#include "tests/support/run_operator.h"

namespace octet {
namespace {

std::optional<std::int64_t> macs(const std::string& node, const std::vector<Value>& inputs) {
  const ModelReport report = inspect(model_from("main () => (y) { y = " + node + " }", inputs));
  for (const std::string& note : report.nodes[0].notes) ADD_FAILURE() << note;
  EXPECT_TRUE(report.nodes[0].counts_macs);
  return report.nodes[0].macs;
}

TEST(Macs, OfConvolutionsCountEveryTapOfEveryOutput) {
  const Value x = value("x", DType::kFloat, {{1, 4, 8, 8}});
  EXPECT_EQ(macs("Conv (x, w)", {x, value("w", DType::kFloat, {{6, 4, 3, 3}})}), 6 * 6 * 6 * 4 * 9);
  EXPECT_EQ(macs("Conv <group: int = 4> (x, w)", {x, value("w", DType::kFloat, {{4, 1, 3, 3}})}), 4 * 36 * 9);
  EXPECT_EQ(macs("Conv <pads: ints = [1, 1, 1, 1], strides: ints = [2, 2]> (x, w)",
                 {x, value("w", DType::kFloat, {{6, 4, 3, 3}})}),
            6 * 16 * 4 * 9);
  EXPECT_EQ(macs("ConvTranspose (x, w)", {x, value("w", DType::kFloat, {{4, 6, 2, 2}})}), 4 * 64 * 6 * 4);
}

TEST(Macs, OfProductsCountTheSharedDimension) {
  EXPECT_EQ(macs("MatMul (a, b)", {value("a", DType::kFloat, {{2, 5, 7}}), value("b", DType::kFloat, {{7, 3}})}),
            2 * 5 * 7 * 3);
  EXPECT_EQ(macs("Gemm (a, b)", {value("a", DType::kFloat, {{5, 7}}), value("b", DType::kFloat, {{7, 3}})}), 105);
  EXPECT_EQ(
      macs("Gemm <transA: int = 1> (a, b)", {value("a", DType::kFloat, {{7, 5}}), value("b", DType::kFloat, {{7, 3}})}),
      105);
}

TEST(Macs, OfRecurrentLayersCountBothMatricesAtEveryStep) {
  EXPECT_EQ(macs("LSTM <hidden_size: int = 4> (x, w, r)",
                 {value("x", DType::kFloat, {{10, 2, 3}}), value("w", DType::kFloat, {{1, 16, 3}}),
                  value("r", DType::kFloat, {{1, 16, 4}})}),
            10 * 2 * (48 + 64));
}

// Of a node that takes all of the values, in a domain of its own or in an opset that has it.
ModelReport inspected(const std::string& op_type, const AttributeList& attributes, const std::vector<Value>& values,
                      const std::string& domain = "") {
  Model model = model_from("main () => (y) { y = " + op_type + " () }", values);
  Node& node = model.graph.nodes[0];
  node.domain = domain;
  for (const Value& input : values) node.inputs.push_back(input.name);
  for (const auto& [name, value] : attributes) node.attributes.set(name, value);
  model.opset_imports = {{"", 23}, {"com.microsoft", 1}};
  return inspect(model);
}

Value floats(const std::string& name, const SymbolicShape& shape) { return value(name, DType::kFloat, {shape}); }

TEST(Macs, OfAttentionCountScoresAndValuesForEveryKey) {
  EXPECT_EQ(inspected("Attention", {{"q_num_heads", 2L}, {"kv_num_heads", 2L}},
                      {floats("q", {3, 5, 8}), floats("k", {3, 7, 8}), floats("v", {3, 7, 12})})
                .summary.macs,
            3 * 2 * 5 * 7 * (4 + 6));
  EXPECT_EQ(inspected("Attention", {},
                      {floats("q", {1, 2, 5, 4}), floats("k", {1, 2, 7, 4}), floats("v", {1, 2, 7, 6}),
                       floats("m", {5, 10}), floats("pk", {1, 2, 3, 4}), floats("pv", {1, 2, 3, 6})})
                .summary.macs,
            2 * 5 * (7 + 3) * (4 + 6));
}

TEST(Macs, OfFusedProductsCountTheSharedDimension) {
  EXPECT_EQ(
      inspected("FusedMatMul", {{"transA", 1L}}, {floats("a", {2, 7, 5}), floats("b", {2, 7, 3})}, "com.microsoft")
          .summary.macs,
      2 * 5 * 7 * 3);
  EXPECT_EQ(inspected("MatMulNBits", {{"K", 32L}, {"N", 3L}, {"bits", 4L}, {"block_size", 16L}},
                      {floats("a", {5, 32}), value("b", DType::kUint8, {{3, 2, 8}}), floats("s", {6})}, "com.microsoft")
                .summary.macs,
            5 * 32 * 3);
}

TEST(Macs, OfQuantizedAttentionAreIntegersUpToTheScores) {
  const Summary summary = inspected("QAttention", {{"num_heads", 2L}},
                                    {value("x", DType::kUint8, {{1, 5, 6}}), value("w", DType::kUint8, {{6, 24}}),
                                     floats("b", {24}), floats("xs", {1}), floats("ws", {1})},
                                    "com.microsoft")
                              .summary;
  EXPECT_EQ(summary.macs, 5 * 6 * 24 + 2 * 2 * 5 * 5 * 4);
  EXPECT_EQ(summary.macs_8bit, 5 * 6 * 24);
}

TEST(Macs, AreUnknownWhereShapesAre) {
  const Value w = value("w", DType::kFloat, {{7, 3}});
  EXPECT_EQ(macs("MatMul (a, w)", {value("a", DType::kFloat, std::nullopt), w}), std::nullopt);
  EXPECT_EQ(macs("MatMul (a, w)", {value("a", DType::kFloat, {{2, Dim(), 7}}), w}), std::nullopt);
  EXPECT_EQ(macs("MatMul (a, w)", {value("a", DType::kFloat, {{Dim(), 2, 7}}), w}), 42);
}

TEST(Macs, BeyondAllBoundsAreANoteNotAnError) {
  const ModelReport report = inspect(model_from(
      "main () => (y) { y = MatMul (a, b) }",
      {value("a", DType::kFloat, {{1LL << 31, 1LL << 31}}), value("b", DType::kFloat, {{1LL << 31, 1LL << 31}})}));
  EXPECT_FALSE(report.nodes[0].macs.has_value());
  EXPECT_EQ(report.nodes[0].notes.size(), 1U);
}

TEST(Weights, AreFoundThroughNodesThatRearrangeThem) {
  Model model = model_from("main (x) => (y) { t = Transpose (w)\n i = Identity (t)\n y = MatMul (x, i) }",
                           {value("x", DType::kFloat, {{2, 3}})});
  add_initializer(model, "w", Tensor(DType::kFloat, {5, 3}));
  const ModelReport report = inspect(model);
  EXPECT_TRUE(report.nodes[0].weights.empty());
  ASSERT_EQ(report.nodes[2].weights.size(), 1U);
  EXPECT_EQ(report.nodes[2].weights[0].name, "w");
  EXPECT_EQ(report.nodes[2].weights[0].shape, (Shape{5, 3}));
  EXPECT_EQ(report.summary.weights.bytes, 60);
}

TEST(Weights, OfFourBitsArePackedInTheCount) {
  Model model = model_from("main (x) => (y) { d = DequantizeLinear (w, s)\n y = MatMul (x, d) }",
                           {value("x", DType::kFloat, {{2, 3}})});
  add_initializer(model, "w", Tensor(DType::kInt4, {3, 3}));
  add_initializer(model, "s", Tensor::scalar(1.0F));
  EXPECT_EQ(inspect(model).summary.weights.bytes, 5);
}

TEST(Inspect, ShowsUnknownOperatorsWithWhatTheFileSays) {
  Model model = model_from("main (x) => (y) { y = Mystery (x) }", {value("x", DType::kFloat8E4M3FN, {{N()}})});
  model.graph.nodes[0].domain = "com.example";
  model.graph.outputs[0] = value("y", DType::kFloat4E2M1, {{N(), 2}});
  const ModelReport report = inspect(model);
  EXPECT_FALSE(report.nodes[0].runs);
  EXPECT_EQ(report.nodes[0].version, 0);
  EXPECT_EQ(report.nodes[0].inputs[0].dtype, DType::kFloat8E4M3FN);
  EXPECT_EQ(report.nodes[0].outputs[0].dtype, DType::kFloat4E2M1);
  ASSERT_EQ(report.summary.operators.size(), 1U);
  EXPECT_FALSE(report.summary.operators[0].runs);
}

TEST(Inspect, NotesAViolationAndGoesOn) {
  Model model = model_from("main (x, w) => (y) { c = Conv (x, w)\n y = Identity (x) }",
                           {value("x", DType::kFloat, {{1, 3, 8, 8}}), value("w", DType::kFloat, {{4, 2, 3, 3}})});
  const ModelReport report = inspect(model);
  ASSERT_EQ(report.nodes[0].notes.size(), 1U);
  EXPECT_NE(report.nodes[0].notes[0].find("conv_c"), std::string::npos) << report.nodes[0].notes[0];
  EXPECT_TRUE(report.nodes[1].notes.empty());
  EXPECT_EQ(report.nodes[1].outputs[0].dtype, DType::kFloat);
}

TEST(Inspect, DoesNotCountAFormThatOctetRefusesAsRun) {
  Model model = model_from("main (x, ratio, training) => (y) { a = Relu (x)\n y = Dropout (a, ratio, training) }",
                           {value("x", DType::kFloat, {{4}})});
  add_initializer(model, "ratio", Tensor::scalar(0.5F));
  add_initializer(model, "training", Tensor::scalar(true));
  const ModelReport report = inspect(model);
  EXPECT_TRUE(report.nodes[0].runs);
  EXPECT_FALSE(report.nodes[1].runs);
  EXPECT_NE(report_text(report, {}).find("runs         not without 1 Dropout"), std::string::npos);
}

TEST(Inspect, NotesAnAttributeOfTheWrongKindAndGoesOn) {
  const ModelReport report =
      inspect(model_from("main (x, s) => (y) { q = QuantizeLinear <axis: string = oops> (x, s)\n y = Relu (x) }",
                         {value("x", DType::kFloat, {{1, 3}}), value("s", DType::kFloat, {{3}})}));
  EXPECT_FALSE(report.nodes[0].notes.empty());
  EXPECT_TRUE(report.nodes[1].notes.empty());
}

TEST(Inspect, AFunctionRunsWhenItsBodyDoes) {
  Model model = model_from("main (x) => (y) { a = Good (x)\n y = Bad (a) }", {value("x", DType::kFloat, {{N()}})});
  model.functions = {function_from("Good (A) => (B) { B = Identity (A) }", "", 21),
                     function_from("Bad (A) => (B) { B = Mystery (A) }", "", 21)};
  const ModelReport report = inspect(model);
  EXPECT_TRUE(report.nodes[0].runs);
  EXPECT_FALSE(report.nodes[1].runs);
  EXPECT_EQ(report.nodes[0].outputs[0].dtype, DType::kFloat);
}

TEST(Inspect, AFunctionComesBeforeAnOperatorOfItsName) {
  Model model = model_from("main (x) => (y) { y = Relu (x) }", {value("x", DType::kFloat, {{N()}})});
  model.functions = {function_from("Relu (A) => (B) { B = Mystery (A) }", "", 21)};
  const ModelReport report = inspect(model);
  EXPECT_FALSE(report.nodes[0].runs);
  EXPECT_EQ(report.nodes[0].version, 0);
}

TEST(Inspect, AFunctionOfTheStandardRuns) {
  const ModelReport report =
      inspect(model_from("main (x) => (y) { y = Swish (x) }", {value("x", DType::kFloat, {{N()}})}, 24));
  EXPECT_TRUE(report.nodes[0].runs);
}

TEST(Inspect, NotesWhatIsWrongInsideAFunctionAtTheCall) {
  Model model = model_from("main (x, w) => (y) { y = F (x, w) }",
                           {value("x", DType::kFloat, {{1, 3, 8, 8}}), value("w", DType::kFloat, {{4, 2, 3, 3}})});
  model.functions = {function_from("F (A, B) => (C) { C = Conv (A, B) }", "", 21)};
  const ModelReport report = inspect(model);
  ASSERT_EQ(report.nodes[0].notes.size(), 1U);
  EXPECT_TRUE(report.nodes[0].notes[0].starts_with("y/Conv (Conv): ")) << report.nodes[0].notes[0];
}

TEST(Inspect, TakesManyNodesWithManyErrorsInStride) {
  std::string body;
  for (int i = 0; i < 20000; ++i) body += " y" + std::to_string(i) + " = Conv (x, w)\n";
  const ModelReport report =
      inspect(model_from("main (x, w) => (y0) {" + body + "}",
                         {value("x", DType::kFloat, {{1, 3, 8, 8}}), value("w", DType::kFloat, {{4, 2, 3, 3}})}));
  EXPECT_EQ(report.nodes.back().notes.size(), 1U);
}

TEST(Inspect, SurvivesRecursionInFunctions) {
  Model model = model_from("main (x) => (y) { y = F (x) }", {value("x", DType::kFloat, {{N()}})});
  model.functions = {function_from("F (A) => (B) { B = F (A) }", "", 21)};
  const ModelReport report = inspect(model);
  EXPECT_EQ(report.notes.size(), 1U);
  EXPECT_FALSE(report.nodes[0].runs);
}

TEST(Inspect, TellsTheDefinitionInForce) {
  Model model = model_from("main (x, w) => (y) { y = Conv (x, w) }",
                           {value("x", DType::kFloat, {{1, 1, 4, 4}}), value("w", DType::kFloat, {{1, 1, 1, 1}})}, 13);
  EXPECT_EQ(inspect(model).nodes[0].version, 11);
  model.opset_imports = {{"", 10}};
  EXPECT_EQ(inspect(model).nodes[0].version, 1);
}

TEST(Inspect, ListsOperatorsByFrequency) {
  const ModelReport report =
      inspect(model_from("main (x) => (y) { a = Relu (x)\n b = Abs (a)\n c = Relu (b)\n y = Relu (c) }",
                         {value("x", DType::kFloat, {{N()}})}));
  ASSERT_EQ(report.summary.operators.size(), 2U);
  EXPECT_EQ(report.summary.operators[0].op_type, "Relu");
  EXPECT_EQ(report.summary.operators[0].nodes, 3);
}

TEST(Inspect, InputsThatAreInitializersNeedNotBeGiven) {
  Model model = model_from("main (x, w) => (y) { y = MatMul (x, w) }",
                           {value("x", DType::kFloat, {{2, 3}}), value("w", DType::kFloat, {{3, 4}})});
  add_initializer(model, "w", Tensor(DType::kFloat, {3, 4}));
  const ModelReport report = inspect(model);
  ASSERT_EQ(report.inputs.size(), 1U);
  EXPECT_EQ(report.inputs[0].name, "x");
  EXPECT_EQ(report.nodes[0].inputs[0].origin, Origin::kInput);
  EXPECT_EQ(report.nodes[0].inputs[1].origin, Origin::kInitializer);
}

}  // namespace
}  // namespace octet
