#include "octet/quantize/pattern.h"

#include <gtest/gtest.h>

#include "tests/support/failure.h"

namespace octet {
namespace {

Error pattern_failure(const std::string& text) {
  return failure_of([&] { Pattern pattern(text); });
}

TEST(Pattern, IsFoundAnywhereInAName) {
  EXPECT_TRUE(Pattern("Mat").is_in("layer/MatMul_1"));
  EXPECT_TRUE(Pattern("^layer[0-9]+/").is_in("layer12/q"));
  EXPECT_FALSE(Pattern("^layer[0-9]+/").is_in("my_layer12/q"));
  EXPECT_FALSE(Pattern("Mat$").is_in("MatMul"));
  EXPECT_TRUE(Pattern("").is_in(""));
}

TEST(Pattern, TakesLinearTime) {
  EXPECT_FALSE(Pattern("(.*)*(.*)*(.*)*!").is_in(std::string(100'000, 'a')));
  EXPECT_TRUE(Pattern(".*Mat.*").is_in(std::string(100'000, 'x') + "MatMul"));
}

TEST(Pattern, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(pattern_failure("(").message(), "\"(\" is not a regular expression: missing ): (");
  EXPECT_EQ(pattern_failure("(").code(), ErrorCode::kUsage);
  EXPECT_EQ(pattern_failure(R"((a)\1)").code(), ErrorCode::kUsage) << "backreferences are not RE2's";
  EXPECT_EQ(pattern_failure("((((a{100}){100}){100}){100})").code(), ErrorCode::kUsage);
}

TEST(Pattern, HasLimits) {
  EXPECT_TRUE(Pattern(std::string(kLongestPattern, 'a')).is_in(std::string(kLongestPattern, 'a')));
  const Error longer = pattern_failure(std::string(100'000, 'a'));
  EXPECT_EQ(longer.code(), ErrorCode::kLimit);
  EXPECT_EQ(longer.message(),
            "a regular expression of 100000 bytes, \"" + std::string(60, 'a') + "...\"; wanted at most 4096");
  const std::string deep(50'000, '(');
  EXPECT_EQ(pattern_failure(deep + std::string(50'000, ')')).code(), ErrorCode::kLimit);
  const Pattern deep_and_short(std::string(2'000, '(') + std::string(2'000, ')'));
  EXPECT_TRUE(deep_and_short.is_in("x"));
  EXPECT_EQ(deep_and_short.shown(), "\"" + std::string(60, '(') + "...\"");
  EXPECT_TRUE(Pattern("x").is_in(std::string(kLongestMatchedName, 'x')));
  const Error name = failure_of([] { Pattern("x").is_in(std::string(kLongestMatchedName + 1, 'x')); });
  EXPECT_EQ(name.code(), ErrorCode::kLimit);
}

TEST(PatternOfName, MatchesThatNameAlone) {
  const std::string name = R"(a.b^c$d|e(f)g[h]i{j}k*l+m?n\o/p q-é)";
  const Pattern pattern(pattern_of_name(name));
  EXPECT_TRUE(pattern.is_in(name));
  EXPECT_FALSE(pattern.is_in(name + "x"));
  EXPECT_FALSE(pattern.is_in("x" + name));
  EXPECT_FALSE(Pattern(pattern_of_name("a.b")).is_in("axb"));
  EXPECT_EQ(pattern_of_name("block1/conv.2"), R"(^block1\/conv\.2$)");
  EXPECT_EQ(failure_of([] { pattern_of_name(std::string(100'000, 'x')); }).code(), ErrorCode::kLimit);
}

}  // namespace
}  // namespace octet
