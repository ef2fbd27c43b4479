#include "octet/data/pick_samples.h"

#include <gtest/gtest.h>

#include <set>

namespace octet {
namespace {

using Numbers = std::vector<std::int64_t>;

Numbers groups_of(std::initializer_list<std::int64_t> sizes) {
  Numbers groups;
  std::int64_t group = 0;
  for (const std::int64_t size : sizes) groups.insert(groups.end(), static_cast<std::size_t>(size), group++);
  return groups;
}

Numbers counts(const Numbers& groups, const Numbers& picked) {
  Numbers found(static_cast<std::size_t>(groups.back()) + 1, 0);
  for (const std::int64_t sample : picked) ++found[static_cast<std::size_t>(groups[static_cast<std::size_t>(sample)])];
  return found;
}

TEST(PickSamples, TakesAsManyOfEveryGroupAtEvenDistances) {
  EXPECT_EQ(pick_samples(groups_of({4, 4, 4}), 6), (Numbers{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(pick_samples(groups_of({10}), 4), (Numbers{0, 2, 5, 7}));
  EXPECT_EQ(pick_samples(Numbers{1, 0, 1, 0, 1, 0}, 2), (Numbers{0, 1}));  // whatever the order
}

TEST(PickSamples, TakesFromOtherGroupsWhatASmallOneLacks) {
  const Numbers groups = groups_of({1, 9, 2, 9});
  EXPECT_EQ(counts(groups, pick_samples(groups, 12)), (Numbers{1, 5, 2, 4}));
  EXPECT_EQ(pick_samples(groups, 99).size(), 21U);
}

// The first groups alone would be as one-sided as the first samples.
TEST(PickSamples, TakesFewerSamplesThanGroupsFromAllOverThem) {
  const Numbers groups = groups_of({2, 2, 2, 2, 2, 2, 2, 2, 2, 2});
  EXPECT_EQ(counts(groups, pick_samples(groups, 5)), (Numbers{1, 0, 1, 0, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(counts(groups, pick_samples(groups, 12)), (Numbers{2, 1, 1, 1, 1, 2, 1, 1, 1, 1}));
}

TEST(PickSamples, DrawsTheSameForTheSameSeed) {
  const Numbers groups = groups_of({100, 100});
  const Numbers one = pick_samples(groups, 20, 1), two = pick_samples(groups, 20, 2);
  EXPECT_EQ(one, pick_samples(groups, 20, 1));
  EXPECT_NE(one, two);
  EXPECT_EQ(counts(groups, one), (Numbers{10, 10}));
  EXPECT_EQ(std::set(one.begin(), one.end()).size(), 20U);
  // splitmix64 of seed 1 in Python: x = 0x910a2dec89025cc1 first, and floor((x >> 32) * 3 / 2^32) = 1.
  EXPECT_EQ(pick_samples(groups_of({3}), 1, 1), (Numbers{1}));
}

TEST(PickSamples, SaysWhatWasTaken) {
  const auto text = [](const Numbers& groups, std::int64_t wanted, std::optional<std::uint64_t> seed = std::nullopt) {
    return picked_text(groups, pick_samples(groups, wanted, seed), "classes", seed);
  };
  EXPECT_EQ(text(groups_of({4, 4, 4}), 6), "6 of 12 samples, 2 of each of 3 classes, at even distances");
  EXPECT_EQ(text(groups_of({4, 4, 4}), 2, 7), "2 of 12 samples, 0 to 1 of each of 3 classes, drawn with seed 7");
  EXPECT_EQ(text(groups_of({2000}), 1000), "1,000 of 2,000 samples, at even distances");
}

}  // namespace
}  // namespace octet
