#include "octet/draw/pages.h"

#include <gtest/gtest.h>

#include "octet/draw/dot_text.h"
#include "octet/draw/render.h"
#include "octet/draw/residual_blocks.h"
#include "octet/draw/support/columns.h"
#include "octet/draw/support/wiring.h"
#include "tests/draw/networks.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

// A chain, each wire with a label. Every tenth node of the first half is read once more, as far behind the middle as it is
// before: wires over the whole length, as in a U-Net.
Picture ladder(std::size_t length, bool skips) {
  Picture picture{.title = "ladder"};
  for (std::size_t i = 0; i < length; ++i) {
    picture.nodes.push_back({.kind = NodeKind::kFunction, .name = "node " + std::to_string(i), .title = "Relu"});
    const PictureWire wire{i, i + 1, WireKind::kFloat, {{"float32 [1,16,32,32]", ""}}, "t" + std::to_string(i)};
    if (i + 1 < length) picture.wires.push_back(wire);
    if (skips && i % 10 == 0 && 2 * i < length - 10) {
      picture.wires.push_back(wire);
      picture.wires.back().to = length - 1 - i;
    }
  }
  return picture;
}

// "a > b" for every wire, in any order, with the wires of all pages put together again at the nodes that name them.
std::vector<std::string> joined_wires(const std::vector<Picture>& pages) {
  std::vector<std::string> wires;
  std::map<std::string, std::string> makers;  // of what leaves a page, by the tensor's name
  for (const Picture& page : pages)
    for (const PictureWire& wire : page.wires)
      if (page.nodes[wire.to].kind == NodeKind::kPage) makers[page.nodes[wire.to].name] = page.nodes[wire.from].name;
  for (const Picture& page : pages)
    for (const PictureWire& wire : page.wires) {
      const PictureNode &from = page.nodes[wire.from], &to = page.nodes[wire.to];
      if (to.kind == NodeKind::kPage || to.kind == NodeKind::kFork) continue;
      const bool arrives = from.kind == NodeKind::kPage || from.kind == NodeKind::kFork;
      wires.push_back((arrives ? makers.at(from.name) : from.name) + " > " + to.name);
    }
  std::sort(wires.begin(), wires.end());
  return wires;
}

std::vector<std::string> sorted_wires(const Picture& picture) {
  std::vector<std::string> wires;
  for (const PictureWire& wire : picture.wires)
    wires.push_back(picture.nodes[wire.from].name + " > " + picture.nodes[wire.to].name);
  std::sort(wires.begin(), wires.end());
  return wires;
}

TEST(Pages, AreOneForWhatCanBeLookedAt) {
  const Picture picture = ladder(60, true);
  const std::vector<Picture> pages = pages_of(picture);
  ASSERT_EQ(pages.size(), 1U);
  EXPECT_EQ(pages[0].title, "ladder");
  EXPECT_EQ(wires_of(pages[0]), wires_of(picture));
}

TEST(Pages, HoldEveryNodeAndEveryWireOnce) {
  for (const bool skips : {false, true}) {
    const Picture picture = ladder(1000, skips);
    const std::vector<Picture> pages = pages_of(picture);
    ASSERT_GT(pages.size(), 2U);
    EXPECT_EQ(pages[1].title, "ladder, page 2 of " + std::to_string(pages.size()));
    std::vector<std::string> names;
    for (const Picture& page : pages) {
      for (const PictureNode& node : page.nodes)
        if (node.kind == NodeKind::kFunction) names.push_back(node.name);
      const Size size = columns_of(page).size;
      EXPECT_LE(std::max(size.width, size.height), 6000);
      EXPECT_LE(page.nodes.size(), 400U);
    }
    EXPECT_EQ(names, names_of(picture));
    EXPECT_EQ(joined_wires(pages), sorted_wires(picture));
  }
}

TEST(Pages, NameEachOtherWhereAWireLeadsOn) {
  Picture picture = ladder(1000, false);  // and node 3 is read again at the very end, twice
  const std::size_t fork = picture.nodes.size();
  picture.nodes.push_back({.kind = NodeKind::kFork, .name = "t3"});
  picture.wires[3].to = fork;
  for (const std::size_t reader : {4U, 998U, 999U}) picture.wires.push_back({fork, reader, WireKind::kFloat, {}, "t3"});
  const std::vector<Picture> pages = pages_of(picture);
  const std::string last = std::to_string(pages.size());
  const std::vector<std::string> first_wires = wires_of(pages.front()), last_wires = wires_of(pages.back());
  const auto leaving = std::find_if(pages[0].nodes.begin(), pages[0].nodes.end(), [](const PictureNode& node) {
    return node.kind == NodeKind::kPage && node.name == "t3";
  });
  ASSERT_NE(leaving, pages[0].nodes.end());
  EXPECT_EQ(leaving->title, "to page " + last);
  const auto& there = pages.back();
  EXPECT_EQ(node_called(there, "t3").title, "from page 1");
  // One wire arrives with its label, and forks for the two that read it.
  for (const char* wire : {"t3 > •: float32 [1,16,32,32]", "• > node 998", "• > node 999"})
    EXPECT_EQ(std::count(last_wires.begin(), last_wires.end(), wire), 1) << wire;
  EXPECT_EQ(std::count(first_wires.begin(), first_wires.end(), "• > t3"), 1);
}

TEST(Pages, AreCutWhereTheFewestWiresLeadOn) {
  Picture picture = ladder(500, false);
  for (std::size_t i = 0; i + 3 < 500; ++i)  // rungs beside the chain, but for a gap every 27 nodes
    if (i / 27 == (i + 3) / 27) picture.wires.push_back({i, i + 3, WireKind::kFloat, {}, "t" + std::to_string(i)});
  const std::vector<Picture> pages = pages_of(picture);
  ASSERT_GE(pages.size(), 2U);
  for (const Picture& page : pages) {
    const auto leads_on = [](const PictureNode& node) {
      return node.kind == NodeKind::kPage && node.title.starts_with("to ");
    };
    EXPECT_EQ(std::count_if(page.nodes.begin(), page.nodes.end(), leads_on), &page == &pages.back() ? 0 : 1);
  }
}

TEST(Pages, AreNotCutInsideFrames) {
  Picture picture = ladder(900, false);
  for (std::size_t f = 0; f < 64; ++f) {
    picture.frames.push_back({"frame " + std::to_string(f), {}});
    for (std::size_t i = 0; i < 13; ++i) picture.frames[f].nodes.push_back(14 * f + i);
  }
  std::size_t whole = 0;
  for (const Picture& page : pages_of(picture))
    for (const PictureFrame& frame : page.frames)
      whole += frame.nodes.size() == 13 && !frame.title.ends_with("in part");
  EXPECT_EQ(whole, 64U);
}

TEST(Pages, OfAFrameThatIsTooLongSayInPart) {
  Picture picture = ladder(1000, false);
  picture.frames.push_back({"all", {}});
  for (std::size_t i = 0; i < 1000; ++i) picture.frames[0].nodes.push_back(i);
  for (const Picture& page : pages_of(picture)) {
    ASSERT_EQ(page.frames.size(), 1U);
    EXPECT_EQ(page.frames[0].title, "all, in part");
  }
}

// Each node is read by all that follow: wherever it is cut, a hundred wires lead on.
TEST(Pages, AreAsFewAsNodesAllowWhereAllAreTooWide) {
  Picture picture = ladder(500, false);
  for (std::size_t i = 0; i < 500; ++i)
    for (std::size_t k = i + 2; k < 500; k += 3)
      picture.wires.push_back({i, k, WireKind::kFloat, {}, "t" + std::to_string(i)});
  EXPECT_EQ(pages_of(picture).size(), 2U);
  picture = ladder(300, false);
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t k = i + 2; k < 300; k += 3) picture.wires.push_back({i, k, WireKind::kFloat, {}, "t"});
  EXPECT_EQ(wires_of(pages_of(picture)[0]), wires_of(picture));
}

TEST(Pages, AreNotMadeOfCirclesAndNotWithoutEnd) {
  Picture circle = ladder(1000, false);
  circle.wires.push_back({999, 0});
  EXPECT_EQ(pages_of(circle).size(), 1U);
  const Error error = failure_of([] { pages_of(ladder(20'000, false)); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_EQ(error.message(), "the picture has 20,000 nodes and forks, and would take more than 20 pages");
}

// A U-Net: what each level of the way down makes is read again on the way up, over hundreds of rows.
class UNet {
 public:
  explicit UNet(int depth) {
    picture_.title = "a U-Net";
    std::size_t x = layer(node(NodeKind::kBorder, "x", {}));
    std::vector<std::size_t> skips;
    for (int level = 0; level < depth; ++level) {
      x = layer(block(block(x)));
      skips.push_back(x);
    }
    for (auto skip = skips.rbegin(); skip != skips.rend(); ++skip)
      x = block(layer(node(NodeKind::kMove, "Concat", {x, *skip})));
    node(NodeKind::kBorder, "y", {x});
    wiring_.draw(picture_);
    frame_residual_blocks(picture_);
  }
  const Picture& picture() const { return picture_; }

 private:
  std::size_t node(NodeKind kind, const std::string& title, const std::vector<std::size_t>& inputs) {
    const std::size_t at = picture_.nodes.size();
    picture_.nodes.push_back(
        {.kind = kind, .name = "/" + title + std::to_string(at), .title = title, .adds = title == "Add"});
    for (const std::size_t input : inputs)
      wiring_.add(std::to_string(input), input, at, WireKind::kFloat, {{"float32 [1,8,64,64]", ""}});
    return at;
  }
  // A convolution and x * sigmoid(x).
  std::size_t layer(std::size_t x) {
    const std::size_t sum = node(NodeKind::kConvolution, "Conv 3×3", {x});
    picture_.nodes[sum].lines = {{"w int8 [8,8,3,3]", ""}, {"b float32 [1,8,1,1]", ""}};
    return node(NodeKind::kArithmetic, "Mul", {sum, node(NodeKind::kFunction, "Sigmoid", {sum})});
  }
  std::size_t block(std::size_t x) { return node(NodeKind::kArithmetic, "Add", {x, layer(layer(x))}); }

  Picture picture_;
  Wiring wiring_;
};

// Graphviz 2.42 crashes when it bends wires over so many rows. They are straight, or the picture is cut.
TEST(Render, DrawsWiresOverAnyNumberOfRows) {
  const UNet net(12);
  const Image whole = render(net.picture(), ImageFormat::kSvg);
  EXPECT_EQ(whole.layout, LayoutKind::kFull) << whole.notes[0];
  for (const Picture& page : pages_of(net.picture())) {
    const Image image = render(page, ImageFormat::kSvg);
    EXPECT_EQ(image.layout, LayoutKind::kFull) << image.notes[0];
  }
  EXPECT_EQ(dot_text(pages_of(net.picture())[0]).find("splines=line"), std::string::npos);
}

}  // namespace
}  // namespace octet
