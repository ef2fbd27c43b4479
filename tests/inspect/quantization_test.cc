#include <gtest/gtest.h>

#include "octet/inspect/inspect.h"
#include "octet/inspect/report_text.h"
#include "tests/support/models.h"

namespace octet {
namespace {

std::vector<double> numbers(const Tensor& tensor) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.size(); ++i) values.push_back(tensor.number_at(i));
  return values;
}

// A model of one node, with initializers for its parameters.
Model quantize_model(const std::string& attributes, const Tensor& scale, const Tensor& zero_point) {
  Model model = model_from("main (x) => (y) { y = QuantizeLinear " + attributes + " (x, s, z) }",
                           {value("x", DType::kFloat, {{N(), 4, 6}})});
  add_initializer(model, "s", scale);
  add_initializer(model, "z", zero_point);
  return model;
}

TEST(Quantization, OfATensorIsResolvedToItsValues) {
  const ModelReport report = inspect(quantize_model("", Tensor::scalar(0.5F), Tensor::scalar<std::uint8_t>(3)));
  ASSERT_EQ(report.nodes[0].quantization.size(), 1U);
  const QuantizationReport& q = report.nodes[0].quantization[0];
  EXPECT_EQ(q.role, "y");
  EXPECT_EQ(q.tensor, "y");
  EXPECT_EQ(q.dtype, DType::kUint8);
  EXPECT_EQ(q.granularity, Granularity::kTensor);
  EXPECT_EQ(q.scale.name, "s");
  EXPECT_EQ(q.scale.origin, Origin::kInitializer);
  EXPECT_EQ(numbers(q.scale.values), std::vector<double>{0.5});
  EXPECT_EQ(numbers(q.zero_point.values), std::vector<double>{3});
}

TEST(Quantization, PerChannelNamesItsAxisFromTheFront) {
  const ModelReport report = inspect(quantize_model("<axis: int = -2>", Tensor::from<float>({4}, {1, 2, 3, 4}),
                                                    Tensor::from<std::int8_t>({4}, {0, 0, -1, 0})));
  const QuantizationReport& q = report.nodes[0].quantization[0];
  EXPECT_EQ(q.granularity, Granularity::kAxis);
  EXPECT_EQ(q.axis, 1);
  EXPECT_EQ(numbers(q.scale.values), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(numbers(q.zero_point.values), (std::vector<double>{0, 0, -1, 0}));
}

TEST(Quantization, BlockedNamesAxisAndBlock) {
  Model model = model_from("main (x) => (y) { y = DequantizeLinear <axis: int = 1, block_size: int = 2> (x, s) }",
                           {value("x", DType::kInt8, {{2, 4}})});
  add_initializer(model, "s", Tensor::from<float>({2, 2}, {1, 2, 3, 4}));
  const ModelReport report = inspect(model);
  const QuantizationReport& q = report.nodes[0].quantization[0];
  EXPECT_EQ(q.granularity, Granularity::kBlocked);
  EXPECT_EQ(q.axis, 1);
  EXPECT_EQ(q.block, 2);
  EXPECT_EQ(q.role, "x");
  EXPECT_EQ(q.zero_point.origin, Origin::kAbsent);
}

TEST(Quantization, KnowsWhereParametersAreStored) {
  Model model = model_from(
      "main (x) => (z) { q, s, z = DynamicQuantizeLinear (x)\n c = Identity (k)\n"
      " a = DequantizeLinear (q, c)\n b = DequantizeLinear (q, s, z) }",
      {value("x", DType::kFloat, {{3}})});
  add_initializer(model, "k", Tensor::scalar(0.25F));
  const ModelReport report = inspect(model);
  EXPECT_EQ(report.nodes[0].quantization[0].scale.origin, Origin::kRuntime);
  EXPECT_TRUE(report.nodes[0].quantization[0].scale.values.empty());
  EXPECT_EQ(report.nodes[2].quantization[0].scale.origin, Origin::kConstant);
  EXPECT_EQ(numbers(report.nodes[2].quantization[0].scale.values), std::vector<double>{0.25});
  EXPECT_EQ(report.nodes[3].quantization[0].zero_point.name, "z");
  EXPECT_EQ(report.nodes[3].quantization[0].zero_point.origin, Origin::kRuntime);
}

TEST(Quantization, OfEveryTensorOfAQuantizedOperator) {
  Model model = model_from("main (x) => (y) { y = QLinearConv (x, xs, xz, w, ws, wz, ys, yz) }",
                           {value("x", DType::kUint8, {{1, 2, 5, 5}})});
  add_initializer(model, "xs", Tensor::scalar(0.5F));
  add_initializer(model, "xz", Tensor::scalar<std::uint8_t>(7));
  add_initializer(model, "w", Tensor(DType::kInt8, {3, 2, 1, 1}));
  add_initializer(model, "ws", Tensor::from<float>({3}, {1, 2, 3}));
  add_initializer(model, "wz", Tensor(DType::kInt8, {3}));
  add_initializer(model, "ys", Tensor::scalar(2.0F));
  add_initializer(model, "yz", Tensor::scalar<std::uint8_t>(9));
  const ModelReport report = inspect(model);
  const std::vector<QuantizationReport>& q = report.nodes[0].quantization;
  ASSERT_EQ(q.size(), 3U);
  EXPECT_EQ(q[0].role + q[1].role + q[2].role, "xwy");
  EXPECT_EQ(q[0].tensor + q[1].tensor + q[2].tensor, "xwy");
  EXPECT_EQ(q[1].granularity, Granularity::kAxis);
  EXPECT_EQ(q[1].axis, 0);
  EXPECT_EQ(numbers(q[2].zero_point.values), std::vector<double>{9});
}

TEST(Quantization, OfConcatenationBelongsToEachInput) {
  Model model = model_from("main (a, b) => (y) { y = QLinearConcat (ys, yz, a, as, az, b, bs, bz) }",
                           {value("a", DType::kUint8, {{2}}), value("b", DType::kUint8, {{3}})});
  model.opset_imports.emplace_back("com.microsoft", 1);
  model.graph.nodes[0].domain = "com.microsoft";
  for (const char* scale : {"ys", "as", "bs"}) add_initializer(model, scale, Tensor::scalar(1.0F));
  for (const char* zero : {"yz", "az", "bz"}) add_initializer(model, zero, Tensor::scalar<std::uint8_t>(0));
  const ModelReport report = inspect(model);
  const std::vector<QuantizationReport>& q = report.nodes[0].quantization;
  ASSERT_EQ(q.size(), 3U);
  EXPECT_EQ(q[0].tensor + q[1].tensor + q[2].tensor, "aby");
  EXPECT_EQ(q[1].scale.name, "bs");
  EXPECT_EQ(q[2].scale.name, "ys");
}

TEST(Quantization, OfUnknownShapeIsUnknown) {
  Model model = model_from("main (x, s) => (y) { y = DequantizeLinear (x, s) }",
                           {value("x", DType::kInt8, std::nullopt), value("s", DType::kFloat, std::nullopt)});
  EXPECT_EQ(inspect(model).nodes[0].quantization[0].granularity, Granularity::kUnknown);
}

// x -> Q -> DQ -> Conv -> Relu -> Q -> DQ -> y, with weights between DQ and Conv.
Model qdq_model() {
  Model model = model_from(
      "main (x) => (y) { q = QuantizeLinear (x, xs, xz)\n d = DequantizeLinear (q, xs, xz)\n"
      " wd = DequantizeLinear <axis: int = 0> (w, ws)\n bd = DequantizeLinear <axis: int = 0> (b, bs)\n c = Conv (d, "
      "wd, bd)\n"
      " r = Relu (c)\n rq = QuantizeLinear (r, ys, yz)\n y = DequantizeLinear (rq, ys, yz) }",
      {value("x", DType::kFloat, {{N(), 2, 5, 5}})});
  add_initializer(model, "xs", Tensor::scalar(0.5F));
  add_initializer(model, "xz", Tensor::scalar<std::uint8_t>(7));
  add_initializer(model, "w", Tensor(DType::kInt8, {3, 2, 3, 3}));
  add_initializer(model, "ws", Tensor::from<float>({3}, {1, 2, 3}));
  add_initializer(model, "b", Tensor(DType::kInt32, {3}));
  add_initializer(model, "bs", Tensor::from<float>({3}, {0.5F, 1, 1.5F}));
  add_initializer(model, "ys", Tensor::scalar(2.0F));
  add_initializer(model, "yz", Tensor::scalar<std::uint8_t>(9));
  return model;
}

TEST(Quantization, AroundANodeComesFromTheConversionsBesideIt) {
  const ModelReport report = inspect(qdq_model());
  const NodeReport& conv = report.nodes[4];
  EXPECT_TRUE(conv.quantization.empty());
  ASSERT_EQ(conv.around.size(), 4U);
  EXPECT_EQ(conv.around[0].role + conv.around[1].role + conv.around[2].role + conv.around[3].role, "xwby");
  EXPECT_EQ(conv.around[1].granularity, Granularity::kAxis);
  EXPECT_EQ(conv.around[1].dtype, DType::kInt8);
  EXPECT_EQ(conv.around[3].zero_point.name, "yz");
}

TEST(Form, TellsWhatANodeComputesOn) {
  const ModelReport report = inspect(qdq_model());
  std::string forms;
  for (const NodeReport& node : report.nodes) {
    forms += node.form == Form::kConversion ? 'c' : node.form == Form::kQdq ? 'q' : '?';
    EXPECT_TRUE(node.notes.empty()) << node.notes.front();
  }
  EXPECT_EQ(forms, "ccccqqcc");
  EXPECT_EQ(report.summary.qdq_nodes, 2);
  EXPECT_EQ(report.summary.quantize_linear, 2);
  EXPECT_EQ(report.summary.dequantize_linear, 4);
  EXPECT_EQ(report.summary.quantized_share(), 1);
}

// The file's bias is no multiple of x_scale * w_scale: the sum is one of integers, and what follows is float.
TEST(Form, IsOfIntegersAsFarAsTheProgramIs) {
  Model model = qdq_model();
  model.graph.initializers[5].tensor = Tensor::from<float>({3}, {0.5F, 1, 1.4F});
  const ModelReport report = inspect(model);
  EXPECT_EQ(report.nodes[4].form, Form::kQdq);
  EXPECT_EQ(report.nodes[5].form, Form::kFloat);
  EXPECT_EQ(report.summary.share, (QuantizedShare{1, 2}));
  EXPECT_EQ(report.summary.macs_8bit, 486);
}

// A scale that is no normal number: no integer sum is exact, so the program has none.
TEST(Form, IsFloatWhereTheProgramIs) {
  Model model = qdq_model();
  for (Initializer& initializer : model.graph.initializers)
    if (initializer.name == "xs") initializer.tensor = Tensor::scalar(1e-40F);
  const ModelReport report = inspect(model);
  EXPECT_EQ(report.nodes[4].form, Form::kFloat);
  EXPECT_EQ(report.nodes[5].form, Form::kFloat);
  EXPECT_EQ(report.summary.share, (QuantizedShare{0, 2}));
  EXPECT_EQ(report.summary.quantized_share(), 0);
  EXPECT_EQ(report.summary.macs_8bit, 0);
}

TEST(Form, OfAModelWithoutProgramComesFromTheNodesAround) {
  Model model = qdq_model();
  model.graph.nodes.push_back({.op_type = "Unheard", .domain = "of", .inputs = {"y"}, .outputs = {"z"}});
  const ModelReport report = inspect(model);
  EXPECT_EQ(report.nodes[4].form, Form::kQdq);
  EXPECT_EQ(report.nodes[5].form, Form::kQdq);
  EXPECT_FALSE(report.summary.share);
  EXPECT_NE(report.summary.no_program.find("Unheard"), std::string::npos);
  EXPECT_EQ(report.summary.quantized_share(), 2.0 / 3);
}

TEST(Form, OfAModelWhoseNodeIsRefusedHasTheReason) {
  Model model = qdq_model();
  model.graph.nodes.push_back({.name = "last", .op_type = "Trilu", .inputs = {"scalar"}, .outputs = {"t"}});
  model.graph.outputs.push_back(value("t", DType::kFloat, std::nullopt));
  add_initializer(model, "scalar", Tensor(DType::kFloat, {}));
  const ModelReport report = inspect(model);
  EXPECT_NE(report.summary.no_program.find("last"), std::string::npos) << report.summary.no_program;
  const std::string text = report_text(report, {});
  EXPECT_EQ(text.find("every operator"), std::string::npos) << text;
  EXPECT_NE(text.find("runs         not: "), std::string::npos) << text;
}

TEST(Form, IsThatOfTheProgramWhateverShapeTheFileDeclares) {
  Model model = qdq_model();
  const ModelReport right = inspect(model);
  model.graph.outputs[0].type.shape = SymbolicShape{1, Dim::symbol("seqlen")};
  const ModelReport report = inspect(model);
  EXPECT_EQ(report.summary.share, right.summary.share);
  EXPECT_EQ(report.summary.no_program, "");
  EXPECT_EQ(report.nodes[4].form, right.nodes[4].form);
}

TEST(Form, OfACallIsThatOfItsBody) {
  Model model = qdq_model();
  model.functions = {function_from("activate (a) => (b) { b = Relu (a) }", "local", 21),
                     function_from("bend (a) => (b) { c = Exp (a)\n b = Relu (c) }", "local", 21)};
  model.opset_imports.emplace_back("local", 1);
  for (const auto& [name, form] : {std::pair("activate", Form::kQdq), {"bend", Form::kFloat}}) {
    model.graph.nodes[5].op_type = name;
    model.graph.nodes[5].domain = "local";
    EXPECT_EQ(inspect(model).nodes[5].form, form) << name;
  }
}

TEST(Form, OfNodesOnBytesIsInteger) {
  const Model model =
      model_from("main (x) => (y, z) { y = MaxPool <kernel_shape: ints = [2, 2]> (x)\n z = Relu (f)\n n = Shape (x) }",
                 {value("x", DType::kUint8, {{1, 1, 4, 4}}), value("f", DType::kFloat, {{1}})});
  const ModelReport report = inspect(model);
  EXPECT_EQ(report.nodes[0].form, Form::kInteger);
  EXPECT_EQ(report.nodes[1].form, Form::kFloat);
}

TEST(Summary, CountsEightBitMacsThroughConversions) {
  const ModelReport report = inspect(qdq_model());
  EXPECT_EQ(report.summary.macs, 3 * 3 * 3 * 2 * 9);  // a 3 x 3 image of 3 channels, kernels of 2 x 3 x 3
  EXPECT_EQ(report.summary.macs_8bit, report.summary.macs);
  EXPECT_EQ(report.summary.symbols_as_one, std::vector<std::string>{"N"});
}

TEST(Summary, CountsWeightsOnceAndWithoutParameters) {
  const ModelReport report = inspect(qdq_model());
  EXPECT_EQ(report.summary.weights.tensors, 2);
  EXPECT_EQ(report.summary.weights.elements, 54 + 3);
  EXPECT_EQ(report.summary.weights.bytes, 54 + 12);
  EXPECT_EQ(report.summary.weights_by_type.at("int8").elements, 54);
  ASSERT_EQ(report.nodes[4].weights.size(), 2U);
  EXPECT_EQ(report.nodes[4].weights[0].name, "w");
  EXPECT_EQ(report.nodes[4].weights[1].input, 2U);
}

}  // namespace
}  // namespace octet
