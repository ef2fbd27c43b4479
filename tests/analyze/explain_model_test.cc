#include "octet/analyze/explain_model.h"

#include <gtest/gtest.h>

#include "octet/analyze/explanation.h"
#include "octet/text/json.h"
#include "tests/analyze/network.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

// x to uint8 with scale 0.5 and zero point 3, and back.
Network halving() {
  Network n;
  n.input("x", Tensor(DType::kFloat, {2}));
  n.node("QuantizeLinear", {"x", n.scale("s", 0.5F), n.constant("z", Tensor::scalar(std::uint8_t{3}))}, "q");
  n.node("DequantizeLinear", {"q", "s", "z"}, "y");
  return n;
}

NamedTensors two_numbers() {
  Tensor x(DType::kFloat, {2});
  x.mutable_as<float>()[0] = 1.25F;
  x.mutable_as<float>()[1] = -9;
  return {{"x", x}};
}

TEST(ExplainModel, ComputesWhatTheStepReads) {
  Network n = halving();
  for (const NamedEngine& engine : engines()) {
    SCOPED_TRACE(engine.name);
    const ExplainResult found = explain_model(n.model(), {"y", {0}}, two_numbers,
                                              {.policy = Policy::kAsWritten, .engine = std::string(engine.name)});
    EXPECT_EQ(std::get<float>(found.explanation.result), 1.0F);  // 1.25 / 0.5 = 2.5, to even 2; 2 * 0.5
    EXPECT_EQ(found.engine, engine.name);
    EXPECT_EQ(found.policy, Policy::kAsWritten);
  }
  const ExplainResult clamped = explain_model(n.model(), {"q", {1}}, two_numbers, {.policy = Policy::kAsWritten});
  EXPECT_EQ(std::get<std::int64_t>(clamped.explanation.result), 0);  // -18 + 3 is below the range
}

TEST(ExplainModel, NamesEngineAndPolicyInJson) {
  Network n = halving();
  const ExplainResult found =
      explain_model(n.model(), {"y", {0}}, two_numbers, {.policy = Policy::kAsWritten, .engine = "reference"});
  const Json json = Json::parse(explanation_json(found, "halving.onnx"));
  EXPECT_EQ(json["model"], "halving.onnx");
  EXPECT_EQ(json["engine"], "reference");
  EXPECT_EQ(json["policy"], "as-written");
  EXPECT_EQ(json["result"], 1.0);
}

TEST(ExplainModel, AsksForNoInputsWhereTheTensorIsNotComputed) {
  Network n = halving();
  bool asked = false;
  const Error error = failure_of([&] {
    explain_model(n.model(), {"nothing", {0}}, [&] { return asked = true, two_numbers(); });
  });
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
  EXPECT_FALSE(asked);
}

}  // namespace
}  // namespace octet
