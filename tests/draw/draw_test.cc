#include "octet/draw/draw.h"

#include <gtest/gtest.h>

#include "octet/draw/draw_report.h"
#include "octet/inspect/inspect.h"
#include "octet/text/json.h"
#include "tests/draw/networks.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

// As DOT text, which needs no layout.
DrawResult dot_of(DrawOptions options) {
  options.output = "folder/graph.dot";
  return draw(residual_network(), "net.onnx", options);
}

TEST(Draw, MakesOneFileOfDotText) {
  const DrawResult result = dot_of({.direction = Direction::kRight});
  ASSERT_EQ(result.drawings.size(), 1U);
  const Drawing& drawing = result.drawings.front();
  EXPECT_EQ(drawing.file, "folder/graph.dot");
  EXPECT_TRUE(drawing.bytes.starts_with("digraph")) << drawing.bytes;
  EXPECT_FALSE(drawing.layout);
  EXPECT_EQ(drawing.picture.direction, Direction::kRight);
  ASSERT_EQ(drawing.picture.frames.size(), 1U);
  EXPECT_EQ(drawing.picture.frames.front().title, "residual block 1");
}

TEST(Draw, NumbersTheFilesOfBlocks) {
  const DrawResult result = dot_of({.blocks = true});
  ASSERT_EQ(result.drawings.size(), 1U);
  EXPECT_EQ(result.drawings.front().file, "folder/graph_block1.dot");
  EXPECT_TRUE(result.drawings.front().picture.title.ends_with(", residual block 1"));
}

TEST(Draw, RefusesBlocksWhereThereAreNone) {
  const Model model = model_from("main (x) => (y) { y = Relu (x) }", {value("x", DType::kFloat, {{4}})});
  const Error error =
      failure_of([&] { draw(model, "relu.onnx", {.view = View::kFull, .blocks = true, .name = "relu"}); });
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
  EXPECT_TRUE(error.message().starts_with("relu has no residual block in the view full")) << error.message();
}

TEST(Draw, TellsATensorFromANode) {
  Model model = residual_network();
  for (Node& node : model.graph.nodes) node.name = node.outputs.front() + "_node";
  for (const View view : {View::kFull, View::kProgram}) {
    const Error error = failure_of([&] { draw(model, "net.onnx", {.view = view, .around = "cq"}); });
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(error.message(), "cq is a tensor, and no node has that name: cq_node (QuantizeLinear) makes it");
    const Error plain =
        failure_of([&] { draw(model, "net.onnx", {.view = view, .around = "cq", .finds_tensors = false}); });
    EXPECT_TRUE(plain.message().starts_with("there is no node cq")) << plain.message();
  }
}

TEST(Draw, GivesTheSameOfAModelAndItsReport) {
  ModelReport report = inspect(residual_network());
  report.path = "net.onnx";
  EXPECT_EQ(draw(report, {.view = View::kFull}).drawings[0].bytes,
            draw(residual_network(), "net.onnx", {.view = View::kFull}).drawings[0].bytes);
}

TEST(View, IsNamed) {
  for (const View view : {View::kFull, View::kFolded, View::kPattern, View::kProgram})
    EXPECT_EQ(view_named(name(view)), view);
  EXPECT_EQ(failure_of([] { view_named("whole"); }).message(),
            "there is no view whole; the views are full, folded, pattern and program");
}

TEST(DrawReport, CountsNodesWithoutForks) {
  DrawResult result{.drawings = {{.file = "a.svg", .picture = {.nodes = {{.name = "n"}, {.kind = NodeKind::kFork}}}}}};
  EXPECT_EQ(draw_text(result), "written to a.svg: 1 node\n");
  result.drawings[0].page = 1;
  result.drawings[0].pages = 2;
  result.drawings[0].notes = {"laid out in rows"};
  result.share = {.quantized = 15, .computing = 16};
  EXPECT_EQ(draw_text(result),
            "written to a.svg: 1 node, page 1 of 2\n  laid out in rows\n15 of 16 computing steps are quantized\n");
}

TEST(DrawReport, HasTheSameFactsAsJson) {
  const DrawResult drawn = dot_of({});
  const Json json = Json::parse(draw_json(drawn, "net.onnx", View::kFolded));
  EXPECT_EQ(json["schema"], "octet.draw/1");
  EXPECT_EQ(json["view"], "folded");
  EXPECT_EQ(json["files"][0]["file"], "folder/graph.dot");
  EXPECT_TRUE(json["files"][0]["layout"].is_null());
  EXPECT_EQ(json["files"][0]["nodes"].size(), drawn.drawings[0].picture.nodes.size());
}

}  // namespace
}  // namespace octet
