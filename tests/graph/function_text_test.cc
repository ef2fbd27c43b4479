#include "octet/graph/function_text.h"

#include <gtest/gtest.h>

#include "octet/base/error.h"

namespace octet {
namespace {

constexpr std::string_view kText = R"(
Scale <by: float = 2.5, axes: ints = [1, -2], mode: string, last: int = 0> (X, bias) => (Y, Z) {
   A, B = Split <axis: int = -1, num_outputs: int = 2> (X)
   when bias: Y = Sum (A, "", bias)
   unless bias: Y = Identity (A)
   when last: Z = Last <by: float = @by> ()
   Z = Other <list: floats = [1, 2e3]> (B)
})";

TEST(FunctionText, ReadsParametersNodesAndAttributes) {
  const Function f = parse_function(kText, Node());
  EXPECT_EQ(f.name, "Scale");
  EXPECT_EQ(f.inputs, (std::vector<std::string>{"X", "bias"}));
  EXPECT_EQ(f.outputs, (std::vector<std::string>{"Y", "Z"}));
  EXPECT_EQ(f.attributes, (std::vector<std::string>{"mode"}));
  EXPECT_EQ(std::get<float>(f.defaults.at("by").value), 2.5F);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(f.defaults.at("axes").value), (std::vector<std::int64_t>{1, -2}));

  ASSERT_EQ(f.nodes.size(), 3U);
  EXPECT_EQ(f.nodes[0].op_type, "Split");
  EXPECT_EQ(f.nodes[0].outputs, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(f.nodes[0].attributes.get_int("axis", 0), -1);
  EXPECT_EQ(f.nodes[1].op_type, "Identity");
  EXPECT_EQ(f.nodes[2].attributes.get_floats("list"), (std::vector<float>{1, 2000}));
}

TEST(FunctionText, FollowsWhatTheCallGives) {
  Node call;
  call.inputs = {"x", "b"};
  call.attributes.set("last", std::int64_t{1});
  const Function f = parse_function(kText, call);
  ASSERT_EQ(f.nodes.size(), 4U);
  EXPECT_EQ(f.nodes[1].inputs, (std::vector<std::string>{"A", "", "bias"}));
  EXPECT_EQ(f.nodes[2].references.at("by").of, "by");

  call.inputs = {"x", ""};
  call.attributes.set("last", std::int64_t{0});
  EXPECT_EQ(parse_function(kText, call).nodes.size(), 3U);
}

TEST(FunctionText, RefusesAnythingElse) {
  for (const char* text : {"", "F", "F (X) => (Y)", "F (X) => (Y) { Y = }", "F (X) => (Y) { Y = G (X) ",
                           "F (X) => (Y) { Y = G <a: int = 1.5> (X) }", "F (X) => (Y) { Y = G <a: graph = 1> (X) }",
                           "F (X) => (Y) {} more", "F (X,,Y) => (Y) {}"})
    EXPECT_THROW(parse_function(text, Node()), Error) << text;
}

}  // namespace
}  // namespace octet
