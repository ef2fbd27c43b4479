#include "octet/export/dump_report.h"

#include <gtest/gtest.h>

#include "octet/engine/reference_engine.h"
#include "octet/text/json.h"
#include "tests/program/networks.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

// a = -x, y = |a|, of a channel of 1 x 2 pixels.
const ReferenceEngine& negating_engine() {
  static const ReferenceEngine made(lowered(
      model_from("f (x) => (y) { a = Neg (x)\n y = Abs (a) }", {value("x", DType::kInt8, SymbolicShape{1, 2, 1, 2})}),
      Policy::kAsWritten));
  return made;
}

Tensor four(std::vector<std::int8_t> elements) { return Tensor::from<std::int8_t>({1, 2, 1, 2}, elements); }

const std::vector<VectorInput> kInputs = {{"x.npy", {{"x", four({1, 2, 3, 4})}}}};

Dumps dumps_of(const NamedTensors& tensors) {
  Dumps dumps;
  dumps.inputs[0].tensors = tensors;
  for (const auto& [name, tensor] : tensors) dumps.inputs[0].files[name] = name + ".npy";
  return dumps;
}

std::string text_of(const Dumps& dumps) {
  const DumpComparison found = compare_dumps(negating_engine(), dumps, kInputs);
  return dumps_text({found, dumps, kInputs, negating_engine()});
}

TEST(DumpReport, SaysThatAllIsEqual) {
  const Dumps dumps = dumps_of({{"a", four({-1, -2, -3, -4})}, {"y", four({1, 2, 3, 4})}});
  EXPECT_EQ(text_of(dumps), "2 of 2 tensors compared, 8 elements: equal\n");
}

TEST(DumpReport, NamesTheFirstElementThatDiffers) {
  const std::string text = text_of(dumps_of({{"a", four({-1, -2, -3, -4})}, {"y", four({1, 2, 7, 4})}}));
  EXPECT_NE(text.find(", differs in y at [0,1,0,0]: 7, wanted 3\n1 of its 4 elements differ; step "), std::string::npos)
      << text;
}

TEST(DumpReport, RecognizesTheOtherLayout) {
  const std::string text = text_of(dumps_of({{"a", four({-1, -3, -2, -4})}}));
  EXPECT_NE(text.find("it is equal in the other layout: --layout hwc\n"), std::string::npos) << text;
}

TEST(DumpReport, HasTheSameFactsAsJson) {
  Dumps dumps = dumps_of({{"y", four({1, 2, 7, 4})}});
  dumps.unmatched = {"z.npy"};
  const DumpComparison found = compare_dumps(negating_engine(), dumps, kInputs);
  const Json json = Json::parse(dumps_json({found, dumps, kInputs, negating_engine()}, {"m.onnx", "exact", "fast"}));
  EXPECT_EQ(json["equal"], false);
  EXPECT_EQ(json["engine"], "fast");
  const Json& verdict = json["dumps"]["verdicts"][0];
  EXPECT_EQ(verdict["differing"], 1);
  EXPECT_TRUE(verdict["differing_alone"].is_null());
  EXPECT_EQ(verdict["first"], (Json{{"index", {0, 1, 0, 0}}, {"found", "7"}, {"wanted", "3"}}));
  EXPECT_EQ(json["dumps"]["unmatched"], Json::array({"z.npy"}));
}

TEST(RequireUsed, RefusesDumpsOfNoTensorAndWordsThatNoFileHas) {
  Dumps dumps;
  dumps.unmatched = {"a", "b", "c", "d", "e"};
  EXPECT_EQ(failure_of([&] { require_used(dumps, {}); }).message(),
            "none of these is a tensor of the program: a, b, c, d, … (5 in all)");
  dumps.inputs[0];
  require_used(dumps, {});
  EXPECT_EQ(failure_of([&] { require_used(dumps, {.word = 4}); }).code(), ErrorCode::kUsage);
}

}  // namespace
}  // namespace octet
