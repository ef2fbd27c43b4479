#include "octet/draw/views.h"

#include <gtest/gtest.h>

#include "octet/inspect/inspect.h"
#include "octet/inspect/read_report.h"
#include "octet/inspect/report_json.h"
#include "octet/program/lower.h"
#include "tests/draw/networks.h"

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
  const Picture picture = program_view(lower(residual_network(), Policy::kExact), "models/small.onnx");
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
