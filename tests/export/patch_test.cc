#include "octet/export/patch.h"

#include <gtest/gtest.h>

#include <random>

namespace octet {
namespace {

std::int64_t dot(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& w) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < w.size(); ++k) sum += std::int64_t{x[k]} * w[k];
  return sum;
}

TEST(Patch, SumsUpToWhatIsWanted) {
  std::mt19937 random(3);
  std::int64_t found = 0, wanted = 0;
  for (const IntegerRange range : {IntegerRange{-128, 127}, IntegerRange{0, 255}})
    for (const int count : {1, 16, 27, 144})
      for (int trial = 0; trial < 40; ++trial) {
        std::vector<std::int32_t> weights;
        for (int k = 0; k < count; ++k) weights.push_back(std::uniform_int_distribution<>(-127, 127)(random));
        std::vector<std::int32_t> some;  // what it sums up to can be reached
        for (int k = 0; k < count; ++k)
          some.push_back(
              std::uniform_int_distribution<>(static_cast<int>(range.min), static_cast<int>(range.max))(random));
        const std::int64_t sum = dot(some, weights);
        const auto patch = patch_for(weights, range, sum);
        ++wanted;
        if (!patch) continue;
        ++found;
        EXPECT_EQ(dot(*patch, weights), sum);
        for (const std::int32_t x : *patch) EXPECT_TRUE(x >= range.min && x <= range.max);
      }
  EXPECT_EQ(found, wanted);
}

TEST(Patch, ReachesBothEnds) {
  const std::vector<std::int32_t> weights = {3, -5, 0, 7};
  const std::int64_t least = -128 * 3 - 5 * 127 - 128 * 7, greatest = 127 * 3 + 5 * 128 + 127 * 7;
  EXPECT_EQ(patch_for(weights, {-128, 127}, least), (std::vector<std::int32_t>{-128, 127, -128, -128}));
  EXPECT_EQ(patch_for(weights, {-128, 127}, greatest)->at(1), -128);
  EXPECT_EQ(patch_for(weights, {-128, 127}, least - 1), std::nullopt);
  EXPECT_EQ(patch_for(weights, {-128, 127}, greatest + 1), std::nullopt);
}

TEST(Patch, IsNothingWhereThereIsNone) {
  EXPECT_EQ(patch_for(std::vector<std::int32_t>{2, 4}, {0, 255}, 7), std::nullopt);
  EXPECT_EQ(patch_for(std::vector<std::int32_t>{0, 0}, {0, 255}, 1), std::nullopt);
  EXPECT_EQ(patch_for(std::vector<std::int32_t>{0, 0}, {0, 255}, 0), (std::vector<std::int32_t>{0, 0}));
}

}  // namespace
}  // namespace octet
