#include <gtest/gtest.h>

#include "octet/text/json.h"
#include "tests/support/failure.h"

namespace octet {
namespace {

std::string parse_failure(const std::string& text) {
  const Error error = failure_of([&] { parse_json(text); });
  EXPECT_EQ(error.code(), ErrorCode::kFormat);
  return error.message();
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJson, ReadsEveryKindOfValue) {
  const std::string text = R"({"b":[1,-2,18446744073709551615,0.5,true,null],"a":{"x":"é\n"},"empty":[{},[]]})";
  EXPECT_EQ(parse_json(text).dump(), text) << "in the order of the text";
  EXPECT_EQ(parse_json("7"), 7);
}

TEST(ParseJson, GoesAsDeepAsItSays) {
  EXPECT_EQ(parse_json(nested(kDeepestJson)).dump(), nested(kDeepestJson));
  EXPECT_EQ(parse_failure(nested(kDeepestJson + 1)), "lists and objects lie in one another more than 64 deep");
  EXPECT_EQ(parse_failure(std::string(100'000, '[')), "lists and objects lie in one another more than 64 deep");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  EXPECT_EQ(parse_failure(objects), "lists and objects lie in one another more than 64 deep");
}

TEST(ParseJson, SaysWhereItIsNotJson) {
  EXPECT_EQ(parse_failure(""), "not JSON: byte 1 can't be read");
  EXPECT_EQ(parse_failure("[1, tru]"), "not JSON: byte 8 can't be read, at the end of \"1, tru]\"");
  EXPECT_EQ(parse_failure("[1] 2"), "not JSON: byte 5 can't be read, at the end of \"2\"");
  EXPECT_LT(parse_failure("[\"" + std::string(1'000'000, 'x')).size(), 300) << "what it shows is cut";
}

TEST(ParseJson, RefusesANameThatIsThereTwice) {
  EXPECT_EQ(parse_failure(R"({"a": 1, "b": {"a": 2}, "a": 3})"), "\"a\" is there twice");
}

TEST(ParseJson, TakesTimeInProportion) {
  std::string text = "{";
  for (int i = 0; i < 300'000; ++i) text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":" + std::to_string(i);
  EXPECT_EQ(parse_json(text + "}").size(), 300'000U) << "quadratic, this takes minutes";
}

TEST(JsonExcerpt, IsShortWhateverTheValue) {
  EXPECT_EQ(json_excerpt(parse_json(R"([[[1]]])")), "a list");
  EXPECT_EQ(json_excerpt(parse_json(R"([1, 2, 3, 4, 5])")), "a list");
  EXPECT_EQ(json_excerpt(parse_json(R"([-1, "NaN"])")), "[-1,\"NaN\"]");
  EXPECT_EQ(json_excerpt(parse_json(R"({"a": 1})")), "an object");
  EXPECT_EQ(json_excerpt("a"), "\"a\"");
  EXPECT_EQ(json_excerpt(1.5), "1.5");
  EXPECT_EQ(json_excerpt(std::string(70, 'x')), "\"" + std::string(60, 'x') + "…\"");
  std::string wide;
  for (int i = 0; i < 70; ++i) wide += "é";
  EXPECT_EQ(json_excerpt(wide), "\"" + wide.substr(0, 120) + "…\"") << "no character is cut in two";
}

}  // namespace
}  // namespace octet
