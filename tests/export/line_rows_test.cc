#include "octet/export/line_rows.h"

#include <gtest/gtest.h>

#include <random>

namespace octet {
namespace {

std::vector<std::int64_t> all_ends(const Staircase& stairs) {
  std::vector<std::int64_t> ends;
  for (std::size_t step = 0; step < stairs.steps.size(); ++step)
    ends.insert(ends.end(), {stairs.steps[step].first, stairs.last(step)});
  return ends;
}

// Whether a requantizer differs from the staircase; tried on both ends of every step and around every exception of
// either, which tells it for all accumulators, because in between it is a line.
bool differs(const IntegerRequantizer& mutant, const Staircase& stairs, const IntegerRequantizer& right) {
  std::vector<std::int64_t> places = all_ends(stairs);
  for (const auto* exceptions : {&mutant.exceptions, &right.exceptions})
    for (const RequantizerException& exception : *exceptions)
      places.insert(places.end(), {exception.first - 1, exception.first, exception.last, exception.last + 1});
  return std::ranges::any_of(places, [&](std::int64_t acc) {
    return acc >= stairs.reach().least && acc <= stairs.greatest && mutant(acc) != stairs(acc);
  });
}

// Random multipliers over random reaches, every constant mutated: whatever is wrong somewhere is wrong on a row.
TEST(LineRows, CatchEveryWrongLine) {
  std::mt19937_64 random(7);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  int wrong = 0, caught = 0, with_exceptions = 0;
  std::size_t rows_in_all = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const IntegerRange range = trial % 2 == 0 ? IntegerRange{-128, 127} : IntegerRange{0, 255};
    const Interval reach{-between(1, 2000000), between(1, 2000000)};
    const float multiplier =
        std::ldexp(static_cast<float>(between(1 << 22, 1 << 24)), -static_cast<int>(between(28, 40)));
    const Staircase stairs =
        staircase(Requantization{multiplier, static_cast<std::int32_t>(between(range.min, range.max)), range}, reach);
    const IntegerRequantizer right = integer_requantizer(stairs, range);
    with_exceptions += right.exceptions.empty() ? 0 : 1;
    const std::vector<std::int64_t> rows = line_rows(right, reach, range);
    rows_in_all += rows.size();
    std::vector<IntegerRequantizer> mutants;
    const auto mutate = [&](auto change) {
      IntegerRequantizer mutant = right;
      change(mutant);
      mutants.push_back(mutant);
    };
    for (const std::int64_t by : {-1, 1, 2, -3, 17}) mutate([&](auto& mutant) { mutant.m += by; });
    for (int bit = 0; bit < right.shift + 3; ++bit)
      for (const std::int64_t sign : {-1, 1})
        mutate([&](auto& mutant) { mutant.addend += sign * (std::int64_t{1} << bit); });
    for (const int by : {-1, 1})
      if (right.shift + by >= 0) mutate([&](auto& mutant) { mutant.shift += by; });
    if (!right.exceptions.empty()) mutate([&](auto& mutant) { mutant.exceptions.clear(); });
    for (std::size_t k = 0; k < right.exceptions.size(); ++k) {
      mutate(
          [&](auto& mutant) { mutant.exceptions.erase(mutant.exceptions.begin() + static_cast<std::ptrdiff_t>(k)); });
      mutate([&](auto& mutant) { mutant.exceptions[k].value += 1; });
      mutate([&](auto& mutant) { mutant.exceptions[k].first -= 1; });
      mutate([&](auto& mutant) { mutant.exceptions[k].last += 1; });
    }
    for (const IntegerRequantizer& mutant : mutants) {
      if (!differs(mutant, stairs, right)) continue;
      ++wrong;
      caught += std::ranges::any_of(rows, [&](std::int64_t acc) { return mutant(acc) != stairs(acc); }) ? 1 : 0;
    }
  }
  EXPECT_EQ(caught, wrong);
  EXPECT_GT(wrong, 10000);
  EXPECT_GT(with_exceptions, 20);
  EXPECT_LT(rows_in_all, 400U * 25);
}

TEST(LineRows, HaveBothSidesOfTheOutermostStepsAndOfExceptions) {
  // y = acc >> 2 from -3 to 3, but 2 at 6 and 7.
  const IntegerRequantizer right{1, 0, 2, {-3, 3}, {{6, 7, 2}}};
  const std::vector<std::int64_t> rows = line_rows(right, {-100, 100}, right.range);
  for (const std::int64_t wanted : {-100, -9, -8, 5, 6, 7, 8, 11, 12, 100})
    EXPECT_NE(std::ranges::find(rows, wanted), rows.end()) << wanted;
}

TEST(LineRows, StayInsideTheReach) {
  const IntegerRequantizer right{1, 0, 2, {-128, 127}, {{-4, -4, 5}, {9, 9, 4}}};
  EXPECT_EQ(line_rows(right, {-4, -4}, right.range), (std::vector<std::int64_t>{-4}));
  for (const std::int64_t acc : line_rows({1, 0, 2, {-128, 127}, {{9, 9, 3}}}, {-4, 9}, right.range)) {
    EXPECT_GE(acc, -4);
    EXPECT_LE(acc, 9);
  }
}

}  // namespace
}  // namespace octet
