#include "octet/draw/views.h"

#include <gtest/gtest.h>

#include <regex>

#include "octet/draw/dot_text.h"
#include "octet/inspect/inspect.h"
#include "octet/inspect/read_report.h"
#include "octet/inspect/report_json.h"
#include "octet/program/lower.h"
#include "octet/program/program_json.h"
#include "tests/draw/networks.h"
#include "tests/support/lowered.h"

namespace octet {
namespace {

TEST(FoldedView, TurnsPairsIntoWiresWithScaleAndZeroPoint) {
  const Picture picture = folded_view(inspect(residual_network()));
  EXPECT_EQ(names_of(picture), (Names{"x", "c", "s", "y", "y", "•"}));
  EXPECT_EQ(wires_of(picture),
            (Names{"x > •: int8 [1,2,4,4] | s 0.5, z 3", "• > c", "• > s", "c > s: int8 [1,2,4,4] | s 2, z -5",
                   "s > y: int8 [1,2,4,4] | s 4, z 7", "y > y: float32 [1,2,4,4]"}));
  EXPECT_EQ(picture.wires[0].kind, WireKind::kBytes);
  EXPECT_EQ(picture.wires[5].kind, WireKind::kFloat);
}

TEST(FoldedView, ListsWeightsAndMarksThosePerChannel) {
  const Picture picture = folded_view(inspect(residual_network()));
  const PictureNode& conv = node_called(picture, "c");
  EXPECT_EQ(conv.kind, NodeKind::kConvolution);
  EXPECT_EQ(conv.title, "Conv 1×1");
  EXPECT_EQ(conv.lines, (std::vector<PictureLine>{{"w int8 [2,2,1,1]", "2 scales"}, {"b int32 [2]", "2 scales"}}));
  EXPECT_FALSE(conv.floating);
  EXPECT_TRUE(picture.nodes[3].floating);  // Softmax
}

// A conversion that is no half of a pair is a node: integers at the border of the network.
TEST(FoldedView, KeepsConversionsThatAreNoPairs) {
  Model model =
      model_from("main (x) => (y) { d = DequantizeLinear (x, s)\n r = Relu (d)\n y = QuantizeLinear (r, s, z) }",
                 {value("x", DType::kInt8, {{4}})});
  add_initializer(model, "s", Tensor::scalar(0.5F));
  add_initializer(model, "z", Tensor::scalar<std::int8_t>(0));
  EXPECT_EQ(wires_of(folded_view(inspect(model))), (Names{"x > d: int8 [4] | s 0.5", "d > r: float32 [4]",
                                                          "r > y: float32 [4]", "y > y: int8 [4] | s 0.5, z 0"}));
}

// The second pair changes numbers: it must not disappear.
TEST(FoldedView, KeepsAPairThatFollowsAnother) {
  Model model = model_from(
      "main (x) => (y) { a = QuantizeLinear (x, s, z)\n b = DequantizeLinear (a, s, z)\n c = QuantizeLinear (b, t, z)\n"
      " d = DequantizeLinear (c, t, z)\n y = Relu (d) }",
      {value("x", DType::kFloat, {{4}})});
  add_initializer(model, "s", Tensor::scalar(0.5F));
  add_initializer(model, "t", Tensor::scalar(0.25F));
  add_initializer(model, "z", Tensor::scalar<std::int8_t>(0));
  EXPECT_EQ(names_of(folded_view(inspect(model))), (Names{"x", "c", "d", "y", "y"}));
}

TEST(FoldedView, TellsIntegersAndFloatsOfOneTensorApart) {
  Model model =
      model_from("main (x) => (y) { q = QuantizeLinear (x, s, z)\n d = DequantizeLinear (q, s, z)\n y = Add (d, x) }",
                 {value("x", DType::kFloat, {{4}})});
  add_initializer(model, "s", Tensor::scalar(0.5F));
  add_initializer(model, "z", Tensor::scalar<std::int8_t>(0));
  EXPECT_EQ(wires_of(folded_view(inspect(model))),
            (Names{"x > y: int8 [4] | s 0.5, z 0", "x > y: float32 [4]", "y > y: float32 [4]"}));
}

// Two convolutions with a quantization of their own each, and two products that share one.
Model dynamic_network() {
  Model model = model_from(
      "main (x) => (y, v) { q, s, z = DynamicQuantizeLinear (x)\n i = ConvInteger (q, w, z, wz)\n"
      " f = Cast <to: int = 1> (i)\n t = Mul (s, ws)\n m = Mul (f, t)\n a = Add (m, b)\n"
      " q2, s2, z2 = DynamicQuantizeLinear (a)\n i2 = ConvInteger (q2, w, z2, wz)\n f2 = Cast <to: int = 1> (i2)\n"
      " t2 = Mul (wc, s2)\n m2 = Mul (t2, f2)\n r = Add (m2, x)\n"
      " q3, s3, z3 = DynamicQuantizeLinear (r)\n i3 = MatMulInteger (q3, k, z3)\n f3 = Cast <to: int = 1> (i3)\n"
      " t3 = Mul (s3, ws)\n y = Mul (f3, t3)\n i4 = MatMulInteger (q3, k, z3)\n f4 = Cast <to: int = 1> (i4)\n"
      " t4 = Mul (s3, ws)\n v = Mul (f4, t4) }",
      {value("x", DType::kFloat, {{1, 2, 4, 4}})});
  add_initializer(model, "w", Tensor::from<std::int8_t>({2, 2, 1, 1}, {2, -3, 5, 7}));
  add_initializer(model, "wz", Tensor::scalar<std::int8_t>(0));
  add_initializer(model, "ws", Tensor::scalar(0.25F));
  add_initializer(model, "wc", Tensor::from<float>({2, 1, 1}, {0.25F, 0.5F}));
  add_initializer(model, "b", Tensor::from<float>({1, 2, 1, 1}, {1, 2}));
  add_initializer(model, "k", Tensor::from<std::int8_t>({4, 1}, {1, 2, 3, 4}));
  return model;
}

TEST(FoldedView, MakesOneNodeOfAChainOfDynamicQuantization) {
  const Picture picture = folded_view(inspect(dynamic_network()));
  EXPECT_EQ(wires_of(picture), (Names{"x > •: float32 [1,2,4,4]", "• > i", "• > r", "i > i2: float32 [1,2,4,4]",
                                      "i2 > r: float32 [1,2,4,4]", "r > q3: float32 [1,2,4,4]",
                                      "q3 > •: uint8 [1,2,4,4] | s at run time, z at run time", "• > i3", "• > i4",
                                      "i3 > y: float32 [1,2,4,1]", "i4 > v: float32 [1,2,4,1]"}));
  const PictureNode &first = node_called(picture, "i"), &second = node_called(picture, "i2");
  EXPECT_EQ(first.kind, NodeKind::kConvolution);
  EXPECT_EQ(first.title, "Conv, dynamic 8 bits");
  EXPECT_FALSE(first.floating);
  EXPECT_FALSE(first.adds);  // a bias
  EXPECT_EQ(first.lines, (std::vector<PictureLine>{{"w int8 [2,2,1,1]", ""}, {"bias float32 [1,2,1,1]", ""}}));
  EXPECT_EQ(second.lines, (std::vector<PictureLine>{{"w int8 [2,2,1,1]", "2 scales"}}));
  EXPECT_TRUE(node_called(picture, "r").floating);
  EXPECT_EQ(node_called(picture, "i3").title, "MatMul, dynamic 8 bits");
}

// What somebody else reads, or what is no scale, must not disappear.
TEST(FoldedView, KeepsNodesOfAChainThatOthersNeed) {
  const auto names = [](const std::string& tail, const std::string& outputs) {
    Model model = model_from("main (x) => (" + outputs + ") { q, s, z = DynamicQuantizeLinear (x)\n" +
                                 " i = MatMulInteger (q, k, z)\n f = Cast <to: int = 1> (i)\n" + tail + " }",
                             {value("x", DType::kFloat, {{4}})});
    add_initializer(model, "k", Tensor::from<std::int8_t>({4, 1}, {1, 2, 3, 4}));
    add_initializer(model, "ws", Tensor::scalar(0.25F));
    return names_of(folded_view(inspect(model)));
  };
  EXPECT_EQ(names("t = Mul (s, ws)\n y = Mul (f, t)", "y"), (Names{"x", "i", "y"}));
  EXPECT_EQ(names("y = Mul (f, s)", "y"), (Names{"x", "i", "y"}));
  EXPECT_EQ(names("t = Mul (s, ws)\n y = Mul (f, t)", "y, s"), (Names{"x", "q", "i", "y", "s"}));
  EXPECT_EQ(names("t = Mul (s, ws)\n y = Mul (f, t)\n u = Relu (f)", "y, u"),
            (Names{"x", "q", "i", "f", "t", "y", "u", "y", "u", "•"}));
  EXPECT_EQ(names("t = Mul (s, x)\n y = Mul (f, t)", "y"), (Names{"x", "q", "i", "f", "t", "y", "y", "•"}));
}

TEST(FullView, HasEveryNodeAndEveryStoredTensor) {
  const Picture picture = full_view(inspect(residual_network()));
  EXPECT_EQ(names_of(picture),
            (Names{"x", "q", "d", "wq", "w", "bq", "b", "c", "cq", "cd", "s", "sq", "sd", "y", "y", "•"}));
  EXPECT_EQ(node_called(picture, "wq").kind, NodeKind::kStored);
  EXPECT_EQ(node_called(picture, "wq").title, "int8 [2,2,1,1]");
  EXPECT_EQ(node_called(picture, "w").lines, (std::vector<PictureLine>{{"s 0.25..0.5, z 0", "2 scales"}}));
  EXPECT_EQ(node_called(picture, "q").kind, NodeKind::kConversion);
  const Names wires = wires_of(picture);
  EXPECT_NE(std::find(wires.begin(), wires.end(), "q > d: int8 [1,2,4,4]"), wires.end());
  EXPECT_NE(std::find(wires.begin(), wires.end(), "bq > b"), wires.end());
  EXPECT_EQ(
      picture.wires[static_cast<std::size_t>(std::find(wires.begin(), wires.end(), "bq > b") - wires.begin())].kind,
      WireKind::kInteger);
}

TEST(PatternView, CountsWhatPlaysTheSamePart) {
  const Picture picture = pattern_view(inspect(residual_network()));
  EXPECT_EQ(node_called(picture, "QuantizeLinear of activations").lines[0].text, "3 nodes, 27.3 % of all");
  EXPECT_EQ(node_called(picture, "DequantizeLinear of activations").lines[0].text, "3 nodes, 27.3 % of all");
  EXPECT_EQ(node_called(picture, "DequantizeLinear of stored int8").lines[0].text, "1 node, 9.1 % of all");
  EXPECT_EQ(node_called(picture, "DequantizeLinear of stored int32").lines[0].text, "1 node, 9.1 % of all");
  EXPECT_EQ(node_called(picture, "operators between conversions").lines[1].text, "1 Add, 1 Conv");
  EXPECT_EQ(node_called(picture, "stored int8 tensors").lines[0].text, "1 tensor, 4 numbers");
  EXPECT_EQ(node_called(picture, "stored scales and zero points").lines,
            (std::vector<PictureLine>{{"3 scales, 3 zero points", ""}, {"2 scales, 2 zero points", "per channel"}}));
  EXPECT_EQ(picture.remarks[0], "3 QuantizeLinear (27.3 %), 5 DequantizeLinear (45.5 %): 72.7 % of all 11 nodes");
  const Names wires = wires_of(picture);
  EXPECT_NE(std::find(wires.begin(), wires.end(),
                      "QuantizeLinear of activations > DequantizeLinear of activations: 3 × int8"),
            wires.end());
}

TEST(ProgramView, ShowsStepsWithMultipliersAndProvenWidths) {
  const Picture picture = program_view(drawn_program(lowered(residual_network(), Policy::kExact), "models/small.onnx"));
  EXPECT_EQ(picture.title, "small.onnx: the integer program");
  const PictureNode& conv = node_called(picture, "c");
  EXPECT_EQ(conv.title, "convolution 1×1");
  // Channel 1: -20 + 5 a + 7 b with a and b from -131 to 124 is -1592 to 1468, 12 bits; channel 0 is narrower.
  // Multipliers: 0.5 * {0.25, 0.5} / 2.
  EXPECT_EQ(conv.lines,
            (std::vector<PictureLine>{
                {"w int8 [2,2,1,1]", ""}, {"2 products, accumulator 12 bits", ""}, {"M 0.0625..0.125", "2 scales"}}));
  const PictureNode& add = node_called(picture, "s");
  EXPECT_TRUE(add.adds);
  EXPECT_EQ(add.lines, (std::vector<PictureLine>{{"M 0.5 · c", ""}, {"M 0.125 · q", ""}}));
}

TEST(ProgramView, DrawsADynamicQuantizationWithTheSumThatAloneReadsIt) {
  const Picture picture = program_view(drawn_program(lowered(dynamic_network(), Policy::kExact), "dynamic.onnx"));
  EXPECT_EQ(node_called(picture, "i").title, "convolution, dynamic 8 bits");
  EXPECT_EQ(node_called(picture, "i3").title, "matrix product");
  const Names names = names_of(picture), wires = wires_of(picture);
  EXPECT_EQ(std::count(names.begin(), names.end(), "q"), 0);
  EXPECT_EQ(std::count(names.begin(), names.end(), "q3"), 1);  // which two read
  for (const char* wire : {"• > i", "i > i2: float32 [1,2,4,4]", "r > q3: float32 [1,2,4,4]"})
    EXPECT_EQ(std::count(wires.begin(), wires.end(), wire), 1) << wire;
}

TEST(Views, OfAReportReadBackAreThoseOfTheModel) {
  ModelReport report = inspect(residual_network());
  report.path = "folder/small.onnx";
  const ModelReport back = report_from_json(report_json(report));
  for (Picture (*view)(const ModelReport&) : {full_view, folded_view, pattern_view}) {
    const Picture a = view(report), b = view(back);
    EXPECT_EQ(a.title, b.title);
    EXPECT_EQ(a.remarks, b.remarks);
    EXPECT_EQ(names_of(a), names_of(b));
    EXPECT_EQ(wires_of(a), wires_of(b));
  }
}

TEST(ProgramView, OfAProgramReadBackIsThatOfTheProgram) {
  for (const Model& model : {residual_network(), dynamic_network()}) {
    const Program program = lowered(model, Policy::kExact);
    const DrawnProgram back = drawn_program_from_json(program_json(program, plan_memory(program), "folder/small.onnx"));
    EXPECT_EQ(back.share, quantized_share(program));
    EXPECT_EQ(dot_text(program_view(back)), dot_text(program_view(drawn_program(program, "folder/small.onnx"))));
  }
}

// Anybody may write one: names of values that are not there, steps that read themselves.
TEST(ProgramView, DrawsWhatIsNoProgramAndRefusesWhatIsNoJsonOfOne) {
  const std::string step =
      R"({"name": "a", "kind": "addition", "computes": true, "dynamic": true, "inputs": ["x", "y"], "outputs": ["y"],
          "operations": [], "constants": null})";
  const auto program = [](const std::string& steps) {
    return R"({"schema": "octet.program/1", "model": "m.onnx", "inputs": ["x"], "outputs": ["y", "z"],
              "quantized_steps": 1, "computing_steps": 1, "values": [], "steps": [)" +
           steps + "]}";
  };
  const Picture picture = program_view(drawn_program_from_json(program(step)));
  EXPECT_EQ(names_of(picture), (Names{"x", "a", "y", "z", "•"}));
  // Two that would each be drawn inside the other.
  const char* const ring =
      R"({"schema": "octet.program/1", "model": "m.onnx", "inputs": [], "outputs": [], "quantized_steps": 1,
          "computing_steps": 1, "values": [], "steps": [
          {"name": "a", "kind": "convolution", "computes": true, "dynamic": true, "inputs": ["z"], "outputs": ["y"],
           "operations": [], "constants": null},
          {"name": "b", "kind": "convolution", "computes": true, "dynamic": true, "inputs": ["y"], "outputs": ["z"],
           "operations": [], "constants": null}]})";
  EXPECT_EQ(names_of(program_view(drawn_program_from_json(ring))), (Names{"a", "b"}));
  for (const std::string& text : {std::string("{}"), std::string("["), program("{}"), program("1"),
                                  std::regex_replace(program(step), std::regex("\"addition\""), "\"edition\""),
                                  std::regex_replace(program(step), std::regex("null"), R"({"products": "x"})"),
                                  std::regex_replace(program(step), std::regex("octet.program/1"), "octet.inspect/1")})
    EXPECT_EQ(error_of([&] { drawn_program_from_json(text); }), ErrorCode::kFormat) << text;
}

// Conversions around a node do not make it one on integers: the program decides, for every view.
TEST(Views, AgreeOnWhatComputesOnFloats) {
  Model normalized = model_from(
      "main (x) => (y) { q = QuantizeLinear (x, s, z)\n d = DequantizeLinear (q, s, z)\n"
      " n = LayerNormalization (d, g, h)\n nq = QuantizeLinear (n, s, z)\n nd = DequantizeLinear (nq, s, z)\n"
      " r = Add (nd, d)\n rq = QuantizeLinear (r, s, z)\n y = DequantizeLinear (rq, s, z) }",
      {value("x", DType::kFloat, {{2, 4}})});
  add_initializer(normalized, "s", Tensor::scalar(0.5F));
  add_initializer(normalized, "z", Tensor::scalar<std::int8_t>(3));
  add_initializer(normalized, "g", Tensor::from<float>({4}, {1, 2, 3, 4}));
  add_initializer(normalized, "h", Tensor::from<float>({4}, {0, 1, 0, 1}));
  using Expected = std::map<std::string, bool>;  // whether it computes on floats
  for (const auto& [model, expected] :
       {std::pair(normalized, Expected{{"n", true}, {"r", false}}),
        std::pair(residual_network(), Expected{{"c", false}, {"s", false}, {"y", true}})}) {
    const ModelReport report = inspect(model);
    for (const Picture& picture :
         {folded_view(report), full_view(report), program_view(drawn_program(lowered(model, Policy::kExact), ""))}) {
      Expected found;
      for (const PictureNode& node : picture.nodes)
        if (expected.contains(node.name) && node.kind != NodeKind::kBorder) found[node.name] = node.floating;
      EXPECT_EQ(found, expected) << picture.title;
    }
  }
}

// Anybody may write a report: one whose nodes run in a circle, or read what nobody makes, is drawn as it stands.
TEST(Views, DrawReportsThatAreNoNetworks) {
  ModelReport report;
  const auto node = [](std::string name, std::vector<std::string> inputs) {
    NodeReport n;
    n.op_type = "DequantizeLinear";
    for (std::string& input : inputs) n.inputs.push_back({.name = std::move(input)});
    n.outputs.push_back({.name = std::move(name)});
    return n;
  };
  report.nodes = {node("a", {"b"}), node("b", {"a", "nobody"}), node("a", {}), node("", {""})};
  for (Picture (*view)(const ModelReport&) : {full_view, folded_view, pattern_view}) EXPECT_NO_THROW(view(report));
}

}  // namespace
}  // namespace octet
