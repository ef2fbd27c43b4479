#include "octet/analyze/run_model.h"

#include <gtest/gtest.h>

#include "octet/analyze/kernels_text.h"
#include "octet/engine/reference_engine.h"
#include "octet/text/json.h"
#include "tests/support/lowered.h"
#include "tests/support/models.h"

namespace octet {
namespace {

// b = -x, a = |b|: computed in another order than that of their names.
const ReferenceEngine& engine_for_two_steps() {
  static const ReferenceEngine made(
      lowered(model_from("f (x) => (a) { b = Neg (x)\n a = Abs (b) }", {value("x", DType::kInt8, SymbolicShape{2})}),
              Policy::kAsWritten));
  return made;
}

NamedTensors one_and_two() { return {{"x", Tensor::from<std::int8_t>({2}, {1, 2})}}; }

TEST(RunModel, OrdersValuesAsTheyAreComputed) {
  const RunResult outputs = run_model(engine_for_two_steps(), one_and_two());
  EXPECT_EQ(outputs.order, std::vector<std::string>{"a"});
  EXPECT_EQ(outputs.results.size(), 1U);
  const RunResult all = run_model(engine_for_two_steps(), one_and_two(), true);
  EXPECT_EQ(all.order, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(all.results.at("b").as<std::int8_t>()[1], -2);
}

TEST(RunModel, WritesResultsInOrder) {
  const RunResult found = run_model(engine_for_two_steps(), one_and_two(), true);
  const Json json = Json::parse(
      run_json(found, {.model = "m.onnx", .policy = "as-written", .engine = "reference", .arithmetic = "onnxruntime"}));
  EXPECT_EQ(json["schema"], "octet.run/1");
  EXPECT_EQ(json["engine"], "reference");
  EXPECT_EQ(json["inputs"][0]["name"], "x");
  EXPECT_EQ(json["outputs"][0]["name"], "b");
  EXPECT_EQ(json["outputs"][1]["first"], (Json{1, 2}));
  const std::string text = run_text(found, 120);
  EXPECT_LT(text.find("\nb "), text.find("\na ")) << text;
}

TEST(KernelsText, HasALineForEachStep) {
  const std::string text = kernels_text(engine_for_two_steps(), 120);
  EXPECT_TRUE(text.starts_with("\nThe engine reference, where symbols mean 1:\n")) << text;
  for (const Step& step : engine_for_two_steps().program().steps)
    EXPECT_NE(text.find(step.name), std::string::npos) << text;
}

}  // namespace
}  // namespace octet
