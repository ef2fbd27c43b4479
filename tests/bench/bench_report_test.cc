#include "octet/bench/bench_report.h"

#include <gtest/gtest.h>

#include "octet/text/json.h"

namespace octet {
namespace {

// Octet takes 2 us for 4 samples, the second contender 3 us, and the third can't run the model.
Measurement measured(int threads) {
  Measurement measurement{.threads = threads, .batch = 4};
  measurement.standings = {
      {.facts = {.name = "Octet, fast"}, .speed = {.median = 2000, .runs = 7}, .exact = {40, 40, 4, 4}},
      {.facts = {.name = "ONNX Runtime"}, .speed = {.median = 3000, .runs = 5}, .exact = {40, 39, 4, 3}},
      {.facts = {.name = "OpenVINO"}, .refusal = "QGemm is unknown"}};
  measurement.steps = {{.name = "conv", .kernel = "direct", .multiply_adds = 1000, .nanoseconds = 500}};
  return measurement;
}

TEST(BenchReport, WritesOneMeasurementPerSettingAsJson) {
  const Json json = Json::parse(bench_json({measured(1), measured(2)}, {"m.onnx", "exact", "fast"}));
  EXPECT_EQ(json["schema"], "octet.bench/1");
  EXPECT_EQ(json["model"], "m.onnx");
  EXPECT_EQ(json["policy"], "exact");
  EXPECT_EQ(json["engine"], "fast");
  ASSERT_EQ(json["measurements"].size(), 2U);
  EXPECT_EQ(json["measurements"][1]["threads"], 2);
  const Json& first = json["measurements"][0];
  EXPECT_TRUE(first["peak"].is_null());
  EXPECT_EQ(first["contenders"][0]["samples_per_second"], 2e6);
  EXPECT_EQ(first["contenders"][1]["ratio"], 1.5);
  EXPECT_EQ(first["contenders"][1]["exact_rows"], 3);
  EXPECT_EQ(first["contenders"][2], (Json{{"name", "OpenVINO"}, {"refusal", "QGemm is unknown"}}));
  EXPECT_EQ(first["steps"][0]["multiply_adds"], 1000);
}

TEST(BenchReport, ListsStepsOnlyWhereAskedTo) {
  const std::string brief = bench_text({measured(1), measured(2)}, false, 120);
  EXPECT_TRUE(brief.starts_with("1 thread, batch 4\n\n")) << brief;
  EXPECT_NE(brief.find("\n\n2 threads, batch 4\n\n"), std::string::npos) << brief;
  EXPECT_NE(brief.find("1.50 x faster"), std::string::npos) << brief;
  EXPECT_NE(brief.find("OpenVINO can't run it: QGemm is unknown"), std::string::npos) << brief;
  EXPECT_EQ(brief.find("conv"), std::string::npos) << brief;
  EXPECT_NE(bench_text({measured(1)}, true, 120).find("conv"), std::string::npos);
}

TEST(BenchReport, DrawsTheModelsName) {
  EXPECT_NE(bench_picture({measured(1)}, "m.onnx").find("m.onnx: time per sample, median"), std::string::npos);
}

}  // namespace
}  // namespace octet
