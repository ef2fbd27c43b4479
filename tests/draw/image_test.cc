#include <gtest/gtest.h>

#include "octet/draw/dot_text.h"
#include "octet/draw/layout_program.h"
#include "octet/draw/render.h"
#include "octet/draw/residual_blocks.h"
#include "octet/draw/support/markup.h"
#include "octet/draw/views.h"
#include "octet/inspect/inspect.h"
#include "tests/draw/networks.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Picture picture_of(const std::vector<std::string>& names) {
  Picture picture{.title = "a picture"};
  for (const std::string& name : names) {
    if (!picture.nodes.empty()) picture.wires.push_back({picture.nodes.size() - 1, picture.nodes.size()});
    picture.nodes.push_back({.name = name, .title = name, .lines = {{name, name}}});
  }
  return picture;
}

std::string image_bytes(const Picture& picture, ImageFormat format) {
  const Image result = render(picture, format);
  EXPECT_EQ(result.layout, LayoutKind::kFull);
  return result.bytes;
}

TEST(DotText, ExplainsWhatOccursAndNothingElse) {
  const std::string text = dot_text(folded_view(inspect(residual_network())));
  for (const char* entry : {">input, output<", ">convolution<", ">arithmetic<", ">function<", ">computes on floats<",
                            ">int8, uint8<", ">float32<", ">per channel<"})
    EXPECT_EQ(count(text, entry), 1U) << entry;
  for (const char* entry : {">matrix product<", ">quantizes, dequantizes<", ">int32<", ">stored in the file<"})
    EXPECT_EQ(count(text, entry), 0U) << entry;
}

TEST(DotText, TellsTypesApartByStrokeToo) {
  const std::string text = dot_text(full_view(inspect(residual_network())));
  EXPECT_GT(count(text, "style=solid penwidth=1.6"), 0U);  // int8
  EXPECT_GT(count(text, "style=solid penwidth=3.2"), 0U);  // int32
  EXPECT_GT(count(text, "style=dashed"), 0U);              // float32
}

TEST(DotText, IsTheSameForTheSamePicture) {
  const ModelReport report = inspect(residual_network());
  EXPECT_EQ(dot_text(full_view(report)), dot_text(full_view(report)));
}

TEST(Markup, ShowsNamesAsTheyAreAndReadsNoneAsMarkup) {
  EXPECT_EQ(escaped("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(escaped("\\N"), "\\\\N");
  EXPECT_EQ(escaped("two\nlines\x01"), "two\\\\nlines\\\\x01");
  EXPECT_EQ(escaped("é\xff"), "é\uFFFD");
  EXPECT_EQ(escaped("\xEF\xBF\xBE"), "\\\\ufffe");  // U+FFFE is no character of XML
}

TEST(Render, WritesASelfContainedSvg) {
  Picture picture = folded_view(inspect(residual_network()));
  frame_residual_blocks(picture);
  const std::string svg = image_bytes(picture, ImageFormat::kSvg);
  EXPECT_EQ(svg.find("<?xml"), 0U);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count(svg, "<!--"), 0U);  // which would name the version of Graphviz
  EXPECT_EQ(count(svg, "class=\"node\""), picture.nodes.size());
  EXPECT_EQ(count(svg, "class=\"edge\""), picture.wires.size());
  EXPECT_EQ(svg.find("<polygon fill=\"#ffffff\""), svg.find("<polygon"));  // the ground comes first
  for (const char* text : {">Conv 1×1<", ">2 scales<", ">residual block 1<"}) EXPECT_GT(count(svg, text), 0U) << text;
  EXPECT_EQ(svg, image_bytes(picture, ImageFormat::kSvg));
}

TEST(Render, WritesAPng) {
  const std::string png = image_bytes(folded_view(inspect(residual_network())), ImageFormat::kPng);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
}

TEST(Render, TakesAnyName) {
  const std::vector<std::string> names = {"a\"b",
                                          "<b>&amp;",
                                          "two\nlines\x01",
                                          "ünïcode 漢字 🦊",
                                          "",
                                          "\\N \\",
                                          "--> <!-- -->",
                                          "</TD></TABLE>>",
                                          "]]>",
                                          "%s {} }",
                                          "\xff\xfe",
                                          "\xEF\xBF\xBE",
                                          std::string(9999, 'x'),
                                          "subgraph {",
                                          "'; DROP"};
  const Picture picture = picture_of(names);
  const std::string svg = image_bytes(picture, ImageFormat::kSvg);
  EXPECT_EQ(count(svg, "class=\"node\""), names.size());
  EXPECT_GT(count(svg, ">\\N \\<"), 0U);
  EXPECT_GT(count(svg, "&lt;/TD&gt;&lt;/TABLE&gt;&gt;"), 0U);
  EXPECT_GT(count(svg, "ünïcode 漢字 🦊"), 0U);
  EXPECT_EQ(image_bytes(picture, ImageFormat::kPng).substr(1, 3), "PNG");
}

// Where memory is free must not decide: not in the first picture of a process, and not in the next.
TEST(Render, IsTheSameEveryTime) {
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) names.push_back("node " + std::to_string(i));
  Picture picture = picture_of(names);
  picture.frames = {{"one", {3, 4, 5}}, {"two", {7, 8}}, {"three", {20, 21}}};
  const std::string svg = image_bytes(picture, ImageFormat::kSvg), png = image_bytes(picture, ImageFormat::kPng);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(image_bytes(picture, ImageFormat::kSvg), svg);
    EXPECT_EQ(image_bytes(picture, ImageFormat::kPng), png);
    image_bytes(picture_of({"another", "picture", "in", "between"}), ImageFormat::kSvg);
  }
}

TEST(Render, WrapsALongChain) {
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) names.push_back("node " + std::to_string(i));
  const std::string svg = image_bytes(picture_of(names), ImageFormat::kSvg);
  for (const std::string& name : names) EXPECT_GT(count(svg, ">" + name + "<"), 0U) << name;
}

TEST(Render, DrawsNothingAndCirclesToo) {
  EXPECT_EQ(image_bytes({}, ImageFormat::kSvg).find("<?xml"), 0U);
  Picture circle = picture_of({"a", "b"});
  circle.wires.push_back({1, 0});
  circle.wires.push_back({0, 0});
  EXPECT_EQ(count(image_bytes(circle, ImageFormat::kSvg), "class=\"edge\""), 3U);
}

TEST(Render, RefusesWhatWouldTakeForever) {
  const Error error =
      failure_of([] { image_bytes(picture_of(std::vector<std::string>(10000, "n")), ImageFormat::kSvg); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_EQ(error.message(), "the picture has 10,000 nodes and forks, and Graphviz lays out 2,000 in reasonable time");
}

TEST(Render, RefusesAPngBeyondItsFormat) {
  Picture wide{.title = "wide"};
  for (int i = 0; i < 600; ++i) wide.nodes.push_back({.title = std::string(44, 'W')});
  const Error error = failure_of([&] { image_bytes(wide, ImageFormat::kPng); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_NE(error.message().find("a PNG has at most 32767"), std::string::npos) << error.message();
  EXPECT_EQ(image_bytes(wide, ImageFormat::kSvg).find("<?xml"), 0U);
}

// Titles of nodes, wires and frames: names as in the file. The dot's and its wires' is the tensor's.
TEST(Render, TitlesThingsByTheirNames) {
  Picture picture = folded_view(inspect(residual_network()));
  picture.title = "a <picture>";
  frame_residual_blocks(picture);
  const std::string svg = image_bytes(picture, ImageFormat::kSvg);
  EXPECT_EQ(count(svg, "<title>"), 1 + picture.nodes.size() + picture.wires.size() + picture.frames.size());
  for (const auto& [title, times] : {std::pair("a &lt;picture&gt;", 1U),
                                     {"residual block 1", 1U},
                                     {"c", 1U},
                                     {"s", 1U},
                                     {"x", 1U},
                                     {"q", 4U},
                                     {"cq", 1U},
                                     {"sq", 1U},
                                     {"y", 3U}})
    EXPECT_EQ(count(svg, "<title>" + std::string(title) + "</title>"), times) << title;
}

TEST(Render, TitlesEachPieceOfAWrappedWire) {
  Picture picture = picture_of(std::vector<std::string>(60, "n"));
  for (std::size_t w = 0; w < picture.wires.size(); ++w) picture.wires[w].name = "tensor " + std::to_string(w);
  const std::string svg = image_bytes(picture, ImageFormat::kSvg);
  std::size_t in_pieces = 0;
  for (std::size_t w = 0; w < picture.wires.size(); ++w) {
    const std::size_t pieces = count(svg, "<title>tensor " + std::to_string(w) + "</title>");
    EXPECT_TRUE(pieces == 1 || pieces == 5) << pieces;
    in_pieces += pieces == 5;
  }
  EXPECT_GE(in_pieces, 2U);
  EXPECT_EQ(count(svg, "<title>"), 1 + 60 + 59 + 4 * in_pieces);  // corners and columns have none
}

TEST(Render, TellsParallelWiresApart) {
  Picture picture = picture_of({"a", "b"});
  picture.wires = {{0, 1, WireKind::kBytes, {}, "bytes"}, {0, 1, WireKind::kFloat, {}, "floats"}};
  const std::string svg = image_bytes(picture, ImageFormat::kSvg);
  for (const auto& [name, colour] : {std::pair("bytes", "#1d5fbf"), std::pair("floats", "#c2410c")}) {
    const std::size_t title = svg.find("<title>" + std::string(name) + "</title>");
    ASSERT_NE(title, svg.npos);
    EXPECT_LT(svg.find(colour, title), svg.find("</g>", title)) << name;
  }
}

TEST(Render, DrawsTheSameThingsInEveryLayout) {
  Picture picture = folded_view(inspect(residual_network()));
  frame_residual_blocks(picture);
  for (const LayoutKind layout : {LayoutKind::kFull, LayoutKind::kPlain, LayoutKind::kRows}) {
    const LayoutResult drawn = run_layout(find_layout_program(), layout_job(picture, layout, ImageFormat::kSvg),
                                          {std::chrono::seconds(60), std::uint64_t{1} << 30});
    ASSERT_TRUE(drawn.image) << name(layout) << ": " << drawn.trouble;
    EXPECT_EQ(count(*drawn.image, "class=\"node\""), picture.nodes.size()) << name(layout);
    EXPECT_EQ(count(*drawn.image, "class=\"edge\""), picture.wires.size()) << name(layout);
    EXPECT_EQ(count(*drawn.image, "class=\"cluster\""), layout == LayoutKind::kFull ? 1U : 0U) << name(layout);
    EXPECT_EQ(count(*drawn.image, ">Conv 1×1<"), 1U) << name(layout);
  }
}

// Layers that all read all of the layer before: no machine lays that out in a millisecond.
TEST(Render, TakesASimplerLayoutInTimeAndSaysSo) {
  constexpr std::size_t kWide = 10, kDeep = 10;
  Picture dense{.title = "dense"};
  for (std::size_t i = 0; i < kDeep * kWide; ++i) {
    dense.nodes.push_back({.name = "node " + std::to_string(i), .title = "Concat"});
    if (i < kWide) continue;
    for (std::size_t k = 0; k < kWide; ++k)
      dense.wires.push_back({(i / kWide - 1) * kWide + k, i, WireKind::kFloat, {{"float32 [1,16,32,32]", ""}}});
  }
  const Image simpler =
      render(dense, ImageFormat::kSvg, {.time = std::chrono::milliseconds(1), .to_draw = std::chrono::minutes(1)});
  EXPECT_EQ(simpler.layout, LayoutKind::kRows);
  ASSERT_EQ(simpler.notes.size(), 1U);
  for (const char* said :
       {"because Graphviz failed in the full layout: it took longer than ", "the plain layout: it took longer than "})
    EXPECT_NE(simpler.notes[0].find(said), std::string::npos) << simpler.notes[0];
  EXPECT_EQ(count(simpler.bytes, "class=\"edge\""), dense.wires.size());
}

TEST(Render, FailsWhereNoLayoutHasTheMemory) {
  const Error error = failure_of([] { render(picture_of({"a", "b"}), ImageFormat::kPng, {.memory = 1 << 16}); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_NE(error.message().find("Graphviz can't lay out the picture: the full layout: it "), std::string::npos)
      << error.message();
  EXPECT_NE(error.message().find("; the rows layout: it "), std::string::npos) << error.message();
}

}  // namespace
}  // namespace octet
