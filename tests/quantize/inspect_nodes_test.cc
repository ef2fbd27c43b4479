#include "octet/quantize/inspect_nodes.h"

#include <gtest/gtest.h>

#include "octet/graph/model_hash.h"
#include "octet/inspect/inspect.h"
#include "octet/quantize/ranges_file.h"
#include "tests/support/failure.h"
#include "tests/support/models.h"
#include "tests/support/temporary_folder.h"

namespace octet {
namespace {

Model two_nodes() {
  Model model = model_from("main (x) => (y) { a = Relu (x)\n y = Tanh (a) }", {value("x", DType::kFloat, {{4}})});
  model.graph.nodes[0].name = "first.relu";
  model.graph.nodes[1].name = "second.tanh";
  return model;
}

TEST(InspectNodes, FindsNamesByARegularExpression) {
  const Model model = two_nodes();
  const ModelReport report = inspect(model);
  EXPECT_EQ(inspect_nodes(model, report, "first|second").size(), 2U);
  const std::vector<NodeDetails> found = inspect_nodes(model, report, "tanh$");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].node, 1U);
  EXPECT_TRUE(found[0].ranges.empty());
}

TEST(InspectNodes, NamesTheNearestWhereNoneMatches) {
  const Model model = two_nodes();
  const Error error = failure_of([&] { inspect_nodes(model, inspect(model), "third"); });
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
  EXPECT_NE(error.message().find("first.relu"), std::string::npos) << error.message();
}

TEST(InspectNodes, AddsObservedRangesOfItsTensors) {
  const Model model = two_nodes();
  const TemporaryFolder folder;
  save_ranges({.model_hash = model_hash(model),
               .calibration = "minmax",
               .samples = 1,
               .others = {},
               .ranges = {{"x", {-1, 2}}, {"a", {0, 2}}}},
              folder / "ranges.json");
  const std::vector<NodeDetails> found = inspect_nodes(model, inspect(model), "tanh", folder / "ranges.json");
  EXPECT_EQ(found.at(0).ranges, (std::map<std::string, std::pair<float, float>>{{"a", {0.0F, 2.0F}}}));
}

}  // namespace
}  // namespace octet
