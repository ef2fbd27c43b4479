#include "octet/analyze/prove_bounds.h"

#include <gtest/gtest.h>

#include "octet/analyze/bounds_report.h"
#include "octet/onnx/model_file.h"
#include "octet/text/json.h"
#include "tests/support/failure.h"
#include "tests/support/lowered.h"

namespace octet {
namespace {

std::unique_ptr<const Engine> engine_for_resnet8() {
  return make_engine(kDefaultEngine, lowered(load_model("models/resnet8_int8_qoperator.onnx"), Policy::kExact));
}

InputBatches one_image(const Engine& engine) {
  const EngineValue image = engine.inputs().at(0);
  return [image, given = false]() mutable -> std::optional<InputBatch> {
    if (std::exchange(given, true)) return std::nullopt;
    return InputBatch{.inputs = {{image.name, Tensor(image.dtype, {1, 3, 32, 32})}}, .samples = 1, .total = 1};
  };
}

// From the weights, biases and zero points in the file, by NumPy.
TEST(ProveBounds, FindsTheWidestAccumulator) {
  const auto engine = engine_for_resnet8();
  const ProvenBounds found = prove_bounds(*engine);
  ASSERT_EQ(found.steps.size(), 10U);
  EXPECT_EQ(found.steps[0].final, (Interval{-2147275497, 217719}));
  EXPECT_EQ(found.steps[7].final, (Interval{-3026303, 2711271}));
  EXPECT_EQ(found.accumulator_bits(), 32);
  EXPECT_EQ(found.samples, 0);
  EXPECT_FALSE(found.steps[0].observed);
  EXPECT_TRUE(found.passed());
}

TEST(ProveBounds, HoldsTheWidthToItsLimit) {
  const auto engine = engine_for_resnet8();
  EXPECT_FALSE(prove_bounds(*engine, {.max_bits = 31}).passed());
  EXPECT_TRUE(prove_bounds(*engine, {.max_bits = 32}).passed());
}

TEST(ProveBounds, ObservesEveryBatch) {
  const auto engine = engine_for_resnet8();
  std::size_t done = 0;
  const ProvenBounds found = prove_bounds(
      *engine, {.batches = one_image(*engine), .sample_progress = [&](std::size_t n, std::size_t) { done = n; }});
  EXPECT_EQ(found.samples, 1);
  EXPECT_EQ(done, 1U);
  for (const StepBounds& step : found.steps) {
    ASSERT_TRUE(step.observed);
    EXPECT_GE(step.observed->least, step.final.least);
    EXPECT_LE(step.observed->greatest, step.final.greatest);
  }
}

TEST(ProveBounds, RefusesAProgramWithoutKnownWeights) {
  const auto engine = make_engine(kDefaultEngine, lowered(load_model("models/resnet8.onnx"), Policy::kExact));
  const Error error = failure_of([&] { prove_bounds(*engine, {.name = "resnet8.onnx"}); });
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
  EXPECT_EQ(error.message(), "resnet8.onnx has no step whose weights and zero points are known before it runs");
}

TEST(BoundsReport, HasTheSameFactsAsTextAndJson) {
  const auto engine = engine_for_resnet8();
  const ProvenBounds found = prove_bounds(*engine, {.rounding = Rounding::kFloor, .max_bits = 24});
  const Json json = Json::parse(bounds_json(found, engine->program(), "net.onnx"));
  EXPECT_EQ(json["model"], "net.onnx");
  EXPECT_EQ(json["policy"], "exact");
  EXPECT_EQ(json["rounding"], "floor");
  EXPECT_EQ(json["steps"][0]["final"], (Json{{"least", -2147275497}, {"greatest", 217719}, {"bits", 32}}));
  EXPECT_EQ(json["verdict"], (Json{{"max_bits", 24}, {"bits", 32}, {"passed", false}}));
  const std::string text = bounds_text(found, engine->program(), 120);
  EXPECT_NE(text.find("-2,147,275,497      217,719"), std::string::npos) << text;
  EXPECT_NE(text.find("10 steps: 32 bits hold every accumulator\n"), std::string::npos) << text;
  EXPECT_NE(text.find("verdict: 24 bits are not enough for 1 step, such as conv\n"), std::string::npos) << text;
  EXPECT_NE(bounds_picture(found, engine->program()).find("Accumulator width of each step"), std::string::npos);
}

}  // namespace
}  // namespace octet
