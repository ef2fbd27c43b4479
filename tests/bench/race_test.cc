#include "octet/bench/race.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

// Says that a run takes so long, and takes no time.
class Sleepless : public Contender {
 public:
  Sleepless(double nanoseconds, std::vector<const Contender*>& turns) : nanoseconds_(nanoseconds), turns_(turns) {}

  std::vector<double> run(int times) override {
    if (turns_.empty() || turns_.back() != this) turns_.push_back(this);
    ++calls;
    return std::vector<double>(static_cast<std::size_t>(times), nanoseconds_);
  }

  int calls = 0;

 private:
  const double nanoseconds_;
  std::vector<const Contender*>& turns_;
};

TEST(Race, GivesEachTheSameTimeByTurns) {
  std::vector<const Contender*> turns;
  Sleepless quick(1e5, turns), slow(4e6, turns);
  const std::vector<Contender*> contenders = {&quick, &slow};
  std::size_t rounds = 0;
  const auto times =
      race(contenders, {.seconds = 0.4, .progress = [&](std::size_t done, std::size_t) { rounds = done; }});
  EXPECT_EQ(rounds, 10U);
  EXPECT_EQ(times[0].size(), 4000U);
  EXPECT_EQ(times[1].size(), 100U);
  EXPECT_EQ(turns.size(), 20U);
  EXPECT_EQ(quick.calls, 20);  // a run that does not count, then those that do
}

TEST(Race, LetsTheSlowSitRoundsOutButRunsThemThreeTimes) {
  std::vector<const Contender*> turns;
  Sleepless quick(1e5, turns), slow(1e9, turns);
  const std::vector<Contender*> contenders = {&quick, &slow};
  const auto times = race(contenders, {.seconds = 0.4});
  EXPECT_EQ(times[0].size(), 4000U);
  EXPECT_EQ(times[1].size(), 3U);
}

}  // namespace
}  // namespace octet
