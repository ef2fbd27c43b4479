#include "octet/verify/runtime_rewrite.h"

#include <gtest/gtest.h>

#include <set>

namespace octet {
namespace {

const std::vector<RuntimeRewrite> kCandidates = {{"a", ""}, {"b", ""}, {"c", ""}, {"d", ""}};

// A runtime that changes 10 elements with each of `harmful`, and can't run without one of `needed`.
struct RewritingRuntime {
  std::set<std::string_view> harmful, needed = {};
  int runs = 0;

  std::vector<LeftOut> left_out() {
    return rewrites_to_leave_out(kCandidates, 10 * static_cast<std::int64_t>(harmful.size()),
                                 [&](std::span<const RuntimeRewrite> without) -> std::optional<Retrial> {
                                   ++runs;
                                   std::set<std::string_view> rest = harmful;
                                   for (const RuntimeRewrite& rewrite : without) {
                                     if (needed.contains(rewrite.optimizer)) return std::nullopt;
                                     rest.erase(rewrite.optimizer);
                                   }
                                   return Retrial{rest.empty(), 10 * static_cast<std::int64_t>(rest.size())};
                                 });
  }
};

std::string names_of(const std::vector<LeftOut>& left_out) {
  std::string names;
  for (const LeftOut& one : left_out) names += std::string(one.rewrite.optimizer) + std::to_string(one.differing) + " ";
  return names;
}

TEST(RuntimeRewrite, IsLeftOutAloneWhereThatDoes) {
  RewritingRuntime runtime{{"c"}};
  EXPECT_EQ(names_of(runtime.left_out()), "c10 ");
  EXPECT_EQ(runtime.runs, 3);
}

TEST(RuntimeRewrite, IsLeftOutWithOthersAndNoMoreThanNeedBe) {
  RewritingRuntime two{{"b", "d"}};
  EXPECT_EQ(names_of(two.left_out()), "b10 d10 ");
  EXPECT_EQ(two.runs, 4 + 1 + 4);
  RewritingRuntime all{{"a", "b", "c", "d"}};
  EXPECT_EQ(names_of(all.left_out()), "a10 b10 c10 d10 ");
}

TEST(RuntimeRewrite, ThatTheRuntimeNeedsStays) {
  RewritingRuntime runtime{{"a", "d"}, {"b"}};
  EXPECT_EQ(names_of(runtime.left_out()), "a10 d10 ");
  RewritingRuntime needed{{"a", "b"}, {"b"}};
  EXPECT_EQ(names_of(needed.left_out()), "");
}

TEST(RuntimeRewrite, IsNotBlamedForWhatIsWrongWithoutIt) {
  RewritingRuntime runtime{{"b", "something else"}};
  EXPECT_EQ(names_of(runtime.left_out()), "");
  EXPECT_EQ(runtime.runs, 4 + 1);
}

}  // namespace
}  // namespace octet
