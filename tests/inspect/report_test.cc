#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "octet/inspect/inspect.h"
#include "octet/inspect/report_json.h"
#include "octet/inspect/report_text.h"
#include "octet/text/json.h"
#include "octet/text/numbers.h"
#include "octet/text/utf8.h"
#include "tests/support/models.h"

namespace octet {
namespace {

TEST(JsonNumber, IsTheShortestThatReadsBack) {
  EXPECT_EQ(json_number(0.1F).dump(), "0.1");
  EXPECT_EQ(json_number(1.0F / 3).dump(), "0.33333334");
  EXPECT_EQ(json_number(0.1).dump(), "0.1");
  EXPECT_EQ(json_number(std::numeric_limits<float>::denorm_min()).dump(), "1e-45");
  EXPECT_EQ(json_number(std::numeric_limits<float>::max()).dump(), "3.4028235e+38");
  for (std::uint32_t i = 0; i < 100000; ++i) {
    const float value = std::bit_cast<float>(i * 42949U);
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(static_cast<float>(json_number(value).get<double>()), value);
  }
}

TEST(JsonNumber, NamesWhatJsonHasNoNumberFor) {
  EXPECT_EQ(json_number(std::numeric_limits<float>::quiet_NaN()).dump(), "\"NaN\"");
  EXPECT_EQ(json_number(std::numeric_limits<float>::infinity()).dump(), "\"Infinity\"");
  EXPECT_EQ(json_number(-std::numeric_limits<double>::infinity()).dump(), "\"-Infinity\"");
}

TEST(JsonText, KeepsListsAndShortObjectsOnALine) {
  EXPECT_EQ(json_text({{"a", {1, 2}}, {"b", {{"c", {{"d", 1}}}}}, {"e", Json::object()}}),
            "{\n  \"a\": [1,2],\n  \"b\": {\n    \"c\": {\"d\":1}\n  },\n  \"e\": {}\n}\n");
  EXPECT_EQ(json_text("\xff"), "\"\xEF\xBF\xBD\"\n");
}

TEST(Numbers, AreGroupedAndRoundedHonestly) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(percent(1), "100 %");
  EXPECT_EQ(percent(0.9999), "99.9 %");
  EXPECT_EQ(percent(2.836), "283.6 %");
  EXPECT_EQ(percent(0.0001), "0.1 %");
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(0.5), "50.0 %");
}

Model model() {
  Model m = model_from("main (x) => (y) { y = QuantizeLinear <axis: int = 0> (x, s, z) }",
                       {value("x", DType::kFloat, {{2, N(), Dim()}})});
  m.producer_name = "by\x1bhand";
  m.graph.nodes[0].name = "a node with quite a long name, longer than the column is wide";
  add_initializer(m, "s", Tensor::from<float>({2}, {0.1F, std::numeric_limits<float>::quiet_NaN()}));
  add_initializer(m, "z", Tensor::from<std::uint8_t>({2}, {0, 255}));
  return m;
}

TEST(ReportJson, IsValidAndComplete) {
  const auto json = nlohmann::json::parse(report_json(inspect(model())));
  EXPECT_EQ(json["schema"], "octet.inspect/1");
  EXPECT_EQ(json["model"]["inputs"][0]["shape"], nlohmann::json::parse("[2, \"N\", null]"));
  const auto& q = json["nodes"][0]["quantization"][0];
  EXPECT_EQ(q["granularity"], "axis");
  EXPECT_EQ(q["axis"], 0);
  EXPECT_EQ(q["scale"]["values"], nlohmann::json::parse("[0.1, \"NaN\"]"));
  EXPECT_EQ(q["scale"]["from"], "initializer");
  EXPECT_EQ(q["zero_point"]["values"], nlohmann::json::parse("[0, 255]"));
}

TEST(ReportText, FitsTheWidthAndEscapesControlCharacters) {
  const std::string text = report_text(inspect(model()), {.width = 110});
  EXPECT_NE(text.find("written by by\\x1bhand"), std::string::npos) << text;
  EXPECT_NE(text.find("a node"), std::string::npos);
  EXPECT_EQ(text.find("longer than the column"), std::string::npos);
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    EXPECT_LE(decode_utf8(text.substr(begin, end - begin)).size(), 110U) << text.substr(begin, end - begin);
}

TEST(ReportText, ShowsParametersOfAbsurdTypes) {
  Model m = model_from("main (x) => (y) { y = QuantizeLinear (x, s, z) }", {value("x", DType::kFloat, {{2}})});
  add_initializer(m, "s", Tensor::from_strings({2}, {"a", "b"}));
  add_initializer(m, "z", Tensor(DType::kComplex64, {0}));
  const ModelReport report = inspect(m);
  EXPECT_NE(report_text(report, {.values = true}).find("scale of string"), std::string::npos);
  EXPECT_NE(report_json(report).find("[\"a\",\"b\"]"), std::string::npos);
}

TEST(ReportText, PrintsEveryValueWhenAskedTo) {
  const std::string text = report_text(inspect(model()), {.width = 0, .values = true});
  EXPECT_NE(text.find("scales 0.1 nan"), std::string::npos) << text;
}

}  // namespace
}  // namespace octet
