#include "octet/verify/compare_report.h"

#include <gtest/gtest.h>

#include "octet/engine/reference_engine.h"
#include "octet/text/json.h"
#include "octet/verify/compare_runs.h"
#include "tests/support/lowered.h"
#include "tests/support/models.h"

namespace octet {
namespace {

ArchiveComparison compared() {
  return {.arrays = {{.array = "a", .elements = 4},
                     {.array = "b", .elements = 4, .differing = 2, .largest = 5, .first = Shape{1, 0}},
                     {.array = "c", .missing = true}},
          .common = 2};
}

TEST(ArchivesText, ListsWhatDiffersOrAll) {
  const std::string text = archives_text(compared(), false, 120);
  EXPECT_EQ(text.find("\na "), std::string::npos) << text;
  EXPECT_NE(text.find("[1,0]"), std::string::npos) << text;
  EXPECT_NE(text.find("missing"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("2 arrays in common, 8 elements compared, 2 differing\n")) << text;
  EXPECT_NE(archives_text(compared(), true, 120).find("\na "), std::string::npos);
}

TEST(ArchivesJson, MarksMissingArrays) {
  const Json json = Json::parse(archives_json(compared()));
  EXPECT_EQ(json["schema"], "octet.compare/1");
  EXPECT_EQ(json["equal"], false);
  EXPECT_EQ(json["tensors"][1]["largest"], 5);
  EXPECT_EQ(json["tensors"][2], (Json{{"tensor", "c"}, {"missing", true}}));
}

// a = -x, y = |a|.
const ReferenceEngine& engine() {
  static const ReferenceEngine made(
      lowered(model_from("f (x) => (y) { a = Neg (x)\n y = Abs (a) }", {value("x", DType::kInt8, SymbolicShape{2})}),
              Policy::kAsWritten));
  return made;
}

Tensor pair_of(std::int8_t first, std::int8_t second) { return Tensor::from<std::int8_t>({2}, {first, second}); }

TEST(CompareRuns, ChecksEachStepOnItsOwnInputs) {
  const NamedTensors golden = {{"x", pair_of(1, 2)}, {"a", pair_of(-1, -2)}, {"y", pair_of(1, 2)}};
  EXPECT_TRUE(compare_runs(engine(), golden, golden).agrees());
  // a is wrong, and y follows from it.
  const NamedTensors mine = {{"x", pair_of(1, 2)}, {"a", pair_of(-3, -2)}, {"y", pair_of(3, 2)}};
  const Verification found = compare_runs(engine(), golden, mine);
  EXPECT_FALSE(found.agrees());
  ASSERT_EQ(found.steps.size(), 2U);
  EXPECT_EQ(found.steps[0].differing, 1);
  EXPECT_EQ(found.steps[1].differing, 0);
  const Json json =
      Json::parse(comparison_json(found, engine().program(), {.model = "m.onnx", .policy = "exact", .engine = "fast"}));
  EXPECT_EQ(json["equal"], false);
  EXPECT_EQ(json["model"], "m.onnx");
  EXPECT_TRUE(json["comparison"].is_object());
}

TEST(UnknownTensors, AreNoValuesOfTheProgram) {
  EXPECT_EQ(unknown_tensors(engine().program(), {{"x", pair_of(1, 2)}, {"z", pair_of(1, 2)}}),
            std::vector<std::string>{"z"});
}

}  // namespace
}  // namespace octet
