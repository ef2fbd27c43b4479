#include <gtest/gtest.h>

#include "octet/draw/dot_text.h"
#include "octet/draw/render.h"
#include "octet/draw/residual_blocks.h"
#include "octet/draw/support/markup.h"
#include "octet/draw/views.h"
#include "octet/inspect/inspect.h"
#include "tests/draw/networks.h"
#include "tests/support/failure.h"

// Graphviz 2.42 does not free the labels it has laid out, and fonts are kept until the process ends. What Octet
// allocates itself is still watched.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libgvc\nleak:libgvplugin\nleak:libcgraph\nleak:libglib\nleak:libpango\nleak:libcairo\nleak:"
         "libfontconfig\n";
}

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
  EXPECT_EQ(escaped("\xEF\xBF\xBE"), "\uFFFD");  // U+FFFE is no character of XML
}

TEST(Render, WritesASelfContainedSvg) {
  Picture picture = folded_view(inspect(residual_network()));
  frame_residual_blocks(picture);
  const std::string svg = render(picture, ImageFormat::kSvg);
  EXPECT_EQ(svg.find("<?xml"), 0U);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count(svg, "<!--"), 0U);  // which would name the version of Graphviz
  EXPECT_EQ(count(svg, "class=\"node\""), picture.nodes.size());
  EXPECT_EQ(count(svg, "class=\"edge\""), picture.wires.size());
  EXPECT_EQ(svg.find("<polygon fill=\"#ffffff\""), svg.find("<polygon"));  // the ground comes first
  for (const char* text : {">Conv 1×1<", ">2 scales<", ">residual block 1<"}) EXPECT_GT(count(svg, text), 0U) << text;
  EXPECT_EQ(svg, render(picture, ImageFormat::kSvg));
}

TEST(Render, WritesAPng) {
  const std::string png = render(folded_view(inspect(residual_network())), ImageFormat::kPng);
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
  const std::string svg = render(picture, ImageFormat::kSvg);
  EXPECT_EQ(count(svg, "class=\"node\""), names.size());
  EXPECT_GT(count(svg, ">\\N \\<"), 0U);
  EXPECT_GT(count(svg, "&lt;/TD&gt;&lt;/TABLE&gt;&gt;"), 0U);
  EXPECT_GT(count(svg, "ünïcode 漢字 🦊"), 0U);
  EXPECT_EQ(render(picture, ImageFormat::kPng).substr(1, 3), "PNG");
}

// Where memory is free must not decide: not in the first picture of a process, and not in the next.
TEST(Render, IsTheSameEveryTime) {
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) names.push_back("node " + std::to_string(i));
  Picture picture = picture_of(names);
  picture.frames = {{"one", {3, 4, 5}}, {"two", {7, 8}}, {"three", {20, 21}}};
  const std::string svg = render(picture, ImageFormat::kSvg), png = render(picture, ImageFormat::kPng);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(render(picture, ImageFormat::kSvg), svg);
    EXPECT_EQ(render(picture, ImageFormat::kPng), png);
    render(picture_of({"another", "picture", "in", "between"}), ImageFormat::kSvg);
  }
}

TEST(Render, WrapsALongChain) {
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) names.push_back("node " + std::to_string(i));
  const std::string svg = render(picture_of(names), ImageFormat::kSvg);
  for (const std::string& name : names) EXPECT_GT(count(svg, ">" + name + "<"), 0U) << name;
}

TEST(Render, DrawsNothingAndCirclesToo) {
  EXPECT_EQ(render({}, ImageFormat::kSvg).find("<?xml"), 0U);
  Picture circle = picture_of({"a", "b"});
  circle.wires.push_back({1, 0});
  circle.wires.push_back({0, 0});
  EXPECT_EQ(count(render(circle, ImageFormat::kSvg), "class=\"edge\""), 3U);
}

TEST(Render, RefusesWhatWouldTakeForever) {
  const Error error = failure_of([] { render(picture_of(std::vector<std::string>(10000, "n")), ImageFormat::kSvg); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_EQ(error.message(), "the picture has 10,000 nodes and forks, and Graphviz lays out 2,000 in reasonable time");
}

TEST(Render, RefusesAPngBeyondItsFormat) {
  Picture wide{.title = "wide"};
  for (int i = 0; i < 600; ++i) wide.nodes.push_back({.title = std::string(44, 'W')});
  const Error error = failure_of([&] { render(wide, ImageFormat::kPng); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_NE(error.message().find("a PNG has at most 32767"), std::string::npos) << error.message();
  EXPECT_EQ(render(wide, ImageFormat::kSvg).find("<?xml"), 0U);
}

}  // namespace
}  // namespace octet
