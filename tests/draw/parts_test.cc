#include <gtest/gtest.h>

#include "octet/draw/excerpt.h"
#include "octet/draw/residual_blocks.h"
#include "octet/draw/support/columns.h"
#include "octet/draw/views.h"
#include "octet/inspect/inspect.h"
#include "tests/draw/networks.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

Names block_names(const Picture& picture, const std::vector<std::size_t>& block) {
  Names names;
  for (const std::size_t node : block) names.push_back(called(picture, node));
  return names;
}

Model float_model(const std::string& body) {
  return model_from("main (x) => (y) { " + body + " }", {value("x", DType::kFloat, {{4}})});
}

TEST(ResidualBlocks, ReachFromTheForkToTheAddition) {
  const Picture folded = folded_view(inspect(residual_network()));
  ASSERT_EQ(residual_blocks(folded).size(), 1U);
  EXPECT_EQ(block_names(folded, residual_blocks(folded)[0]), (Names{"c", "s", "•"}));
  // The fork is behind the conversions, and weights belong to what reads them.
  const Picture full = full_view(inspect(residual_network()));
  EXPECT_EQ(block_names(full, residual_blocks(full)[0]), (Names{"wq", "w", "bq", "b", "c", "cq", "cd", "s", "•"}));
}

TEST(ResidualBlocks, FollowOneAnother) {
  const Picture picture = folded_view(inspect(
      float_model("a = Relu (x)\n b = Add (a, x)\n c = Relu (b)\n d = Tanh (b)\n e = Add (c, d)\n y = Relu (e)")));
  const auto blocks = residual_blocks(picture);
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(block_names(picture, blocks[0]), (Names{"a", "b", "•"}));
  EXPECT_EQ(block_names(picture, blocks[1]), (Names{"c", "d", "e", "•"}));
}

TEST(ResidualBlocks, AreNeitherBiasesNorDoublingsNorSumsOfTwoInputs) {
  Model bias = float_model("a = Relu (x)\n y = Add (a, k)");
  add_initializer(bias, "k", Tensor::scalar(1.0F));
  EXPECT_TRUE(residual_blocks(folded_view(inspect(bias))).empty());
  EXPECT_TRUE(residual_blocks(folded_view(inspect(float_model("y = Add (x, x)")))).empty());
  const Model two = model_from("main (x, z) => (y) { a = Relu (x)\n y = Add (a, z) }",
                               {value("x", DType::kFloat, {{4}}), value("z", DType::kFloat, {{4}})});
  EXPECT_TRUE(residual_blocks(folded_view(inspect(two))).empty());
}

TEST(ResidualBlocks, ThatShareNodesGetOneFrame) {
  Picture picture = folded_view(inspect(float_model("a = Relu (x)\n b = Tanh (a)\n c = Add (b, a)\n y = Add (c, x)")));
  ASSERT_EQ(residual_blocks(picture).size(), 2U);
  frame_residual_blocks(picture);
  ASSERT_EQ(picture.frames.size(), 1U);
  EXPECT_EQ(picture.frames[0].title, "residual block 1");
}

Picture circle() { return {.nodes = {{.name = "a"}, {.name = "b", .adds = true}}, .wires = {{0, 1}, {1, 0}}}; }

TEST(ResidualBlocks, AreNotSoughtInCircles) { EXPECT_TRUE(residual_blocks(circle()).empty()); }

TEST(Excerpt, KeepsNeighboursAsNames) {
  const Picture picture = folded_view(inspect(residual_network()));
  const Picture part = excerpt_around(picture, "c", 0);
  // x and s are neighbours of c; the fork belongs to c's wire.
  EXPECT_EQ(names_of(part), (Names{"x", "c", "s", "•"}));
  EXPECT_EQ(part.nodes[0].kind, NodeKind::kElsewhere);
  EXPECT_EQ(part.nodes[1].kind, NodeKind::kConvolution);
  EXPECT_EQ(part.nodes[2].kind, NodeKind::kElsewhere);
  EXPECT_EQ(wires_of(part),
            (Names{"x > •: int8 [1,2,4,4] | s 0.5, z 3", "• > c", "• > s", "c > s: int8 [1,2,4,4] | s 2, z -5"}));
}

TEST(Excerpt, CountsWiresNotForks) {
  const Picture picture = folded_view(inspect(float_model(
      "a = Relu (x)\n b = Relu (a)\n c = Tanh (a)\n d = Relu (b)\n e = Relu (d)\n f = Add (e, c)\n y = Relu (f)")));
  const Picture part = excerpt_around(picture, "a", 1);
  for (const char* name : {"x", "a", "b", "c"}) EXPECT_NE(node_called(part, name).kind, NodeKind::kElsewhere) << name;
  for (const char* name : {"d", "f"}) EXPECT_EQ(node_called(part, name).kind, NodeKind::kElsewhere) << name;
}

// a and b fork and join at c; d and e at f.
TEST(Excerpt, SaysWhatIsLeftOfAFrame) {
  Picture picture = folded_view(inspect(float_model(
      "a = Relu (x)\n b = Tanh (a)\n c = Add (b, x)\n d = Relu (c)\n e = Tanh (d)\n f = Add (e, c)\n y = Relu (f)")));
  frame_residual_blocks(picture);
  const auto frames = [&](const std::string& name, int depth) {
    const Picture part = excerpt_around(picture, name, depth);
    Names texts;
    for (const PictureFrame& frame : part.frames) {
      texts.push_back(frame.title + ":");
      for (const std::size_t node : frame.nodes)
        texts.back() += (part.nodes[node].kind == NodeKind::kElsewhere ? " elsewhere " : " ") + called(part, node);
    }
    return texts;
  };
  EXPECT_EQ(frames("b", 9), (Names{"residual block 1: a b c •", "residual block 2: d e f •"}));
  EXPECT_EQ(frames("b", 1), (Names{"residual block 1: a b c •"}));
  EXPECT_EQ(frames("e", 0), (Names{"residual block 2, in part: elsewhere d e elsewhere f"}));
  // The dot of the second block hangs on c: nothing of that block is drawn.
  EXPECT_EQ(frames("c", 0), (Names{"residual block 1, in part: elsewhere a elsewhere b c •"}));
}

TEST(Excerpt, OfAnUnknownNodeOffersCloseNames) {
  const Picture picture = folded_view(inspect(residual_network()));
  const Error error = failure_of([&] { excerpt_around(picture, "cc", 1); });
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
  EXPECT_EQ(error.message(), "there is no node cc; the closest are c, x, s");
}

Picture chain(std::size_t length) {
  Picture picture;
  for (std::size_t i = 0; i < length; ++i) {
    picture.nodes.push_back({.kind = NodeKind::kFunction, .name = "node " + std::to_string(i), .title = "Relu"});
    if (i > 0) picture.wires.push_back({i - 1, i, WireKind::kFloat, {{"float32 [1,16,32,32]", ""}}});
  }
  return picture;
}

TEST(Columns, AreOneForWhatFitsAScreen) {
  EXPECT_EQ(columns_of(chain(5)).count, 1U);
  EXPECT_EQ(columns_of(circle()).count, 1U);
  EXPECT_EQ(columns_of({}).count, 1U);
}

TEST(Columns, WrapALongChainInItsOrder) {
  const Columns columns = columns_of(chain(60));
  EXPECT_GE(columns.count, 3U);
  EXPECT_LE(columns.count, 10U);
  EXPECT_TRUE(std::is_sorted(columns.of.begin(), columns.of.end()));
}

// A screen is wider than it is high, and so are nodes: fewer of them fit beside one another than below.
TEST(Columns, AreRowsWhereWiresLeadRight) {
  Picture picture = chain(60);
  const Columns down = columns_of(picture);
  picture.direction = Direction::kRight;
  const Columns right = columns_of(picture);
  EXPECT_GE(right.count, 5U);
  EXPECT_TRUE(std::is_sorted(right.of.begin(), right.of.end()));
  EXPECT_LT(right.size.width, 2 * down.size.width);
  EXPECT_LT(right.size.height, 2 * down.size.height);
}

// The first row of a column holds the wires from the one before it, so that its own nodes begin one row further down.
TEST(Columns, CountTheWiresBetweenThem) {
  const Columns columns = columns_of(chain(60));
  std::ptrdiff_t rows = 0;
  for (std::size_t column = 0; column < columns.count; ++column)
    rows = std::max(rows, std::ranges::count(columns.of, column) + (column > 0 ? 1 : 0));
  const double four = columns_of(chain(4)).size.height, five = columns_of(chain(5)).size.height;
  EXPECT_DOUBLE_EQ(columns.size.height, five + static_cast<double>(rows - 5) * (five - four));
}

TEST(Columns, DoNotCutFrames) {
  Picture picture = chain(60);
  picture.frames.push_back({"frame", {}});
  for (std::size_t i = 5; i < 40; ++i) picture.frames[0].nodes.push_back(i);
  const Columns columns = columns_of(picture);
  for (std::size_t i = 5; i < 40; ++i) EXPECT_EQ(columns.of[i], columns.of[5]);
}

// The last two nodes of a part that read its result, beyond which nothing is drawn.
TEST(Columns, KeepNeighboursTogether) {
  for (std::size_t length = 8; length < 60; ++length) {
    Picture picture = chain(length);
    picture.nodes.push_back({.kind = NodeKind::kElsewhere, .name = "other", .title = "Relu"});
    picture.nodes[length - 1].kind = NodeKind::kElsewhere;
    picture.wires.push_back({length - 2, length, WireKind::kFloat, {{"float32 [1,16,32,32]", ""}}});
    const Columns columns = columns_of(picture);
    EXPECT_EQ(columns.of[length - 1], columns.of[length]) << length;
  }
}

}  // namespace
}  // namespace octet
