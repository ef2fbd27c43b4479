#include "octet/base/trip_limit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "octet/base/error.h"
#include "octet/base/parallel.h"

namespace octet {
namespace {

bool is_allowed(std::int64_t done) {
  try {
    TripLimit::begin_trip(done, 1000);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kLimit);
    return false;
  }
}

TEST(TripLimit, AllowsAnyNumberWhereThereIsNone) { EXPECT_TRUE(is_allowed(999)); }

TEST(TripLimit, RefusesTheTripBehindTheLast) {
  const TripLimit limit(3);
  EXPECT_TRUE(is_allowed(2));
  EXPECT_FALSE(is_allowed(3));
}

TEST(TripLimit, HoldsTogetherWithTheOneAround) {
  const TripLimit outer(3);
  {
    const TripLimit wider(5);
    EXPECT_FALSE(is_allowed(3));
    const TripLimit narrower(1);
    EXPECT_FALSE(is_allowed(1));
  }
  EXPECT_TRUE(is_allowed(2));
}

TEST(TripLimit, HoldsForTheThreadsThatWorkForThisOne) {
  const Parallel parallel(4);
  const TripLimit limit(3);
  std::atomic<int> refused = 0;
  parallel.for_each_block(16, 1, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end; ++begin)
      if (is_allowed(2) && !is_allowed(3)) ++refused;
  });
  EXPECT_EQ(refused, 16);
}

TEST(TripLimit, HoldsForNoOtherThread) {
  const TripLimit limit(3);
  bool allowed = false;
  std::thread([&] {
    const TripLimit other(5);
    allowed = is_allowed(4) && !is_allowed(5);
  }).join();
  EXPECT_TRUE(allowed);
}

TEST(TripLimit, ReportsTheTripsDone) {
  std::vector<std::pair<std::size_t, std::size_t>> reported;
  const TripLimit limit(3, [&](std::size_t done, std::size_t most) { reported.emplace_back(done, most); });
  for (std::int64_t done = 0; done < 2; ++done) TripLimit::begin_trip(done, 7);
  EXPECT_EQ(reported, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 7}, {1, 7}}));
}

}  // namespace
}  // namespace octet
