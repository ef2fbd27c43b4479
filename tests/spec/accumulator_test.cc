#include "octet/spec/accumulator.h"

#include <gtest/gtest.h>

#include <vector>

namespace octet {
namespace {

// The sum of one line with one line.
template <typename Accumulator>
std::int32_t dot(const Accumulator& accumulator, std::int32_t start, const std::vector<std::int16_t>& a,
                 const std::vector<std::int16_t>& b, std::size_t count) {
  accumulator.add_products({a.data(), 1, 1}, {b.data(), 1, 1}, static_cast<std::int64_t>(count), &start);
  return start;
}

TEST(Int32Accumulator, Wraps) {
  EXPECT_EQ(Int32Accumulator{}.add(2147483647, 1), -2147483648LL);
  const std::vector<std::int16_t> a(70000, 255);
  // 70000 * 65025 = 4551750000 = 2^32 + 256782704
  EXPECT_EQ(dot(Int32Accumulator{}, 0, a, a, 70000), 256782704);
  EXPECT_EQ(dot(Int32Accumulator{}, -256782704, a, a, 70000), 0);
}

// Line i of a with line j of b, for up to 37 lines of up to 40 numbers: whole and partial vectors, whole and partial
// groups of lines.
template <typename Accumulator>
void expect_all_sums(const Accumulator& accumulator) {
  const auto left = [](std::int64_t k) { return static_cast<std::int16_t>(k % 101 - 50); };
  const auto right = [](std::int64_t k) { return static_cast<std::int16_t>(255 - 3 * (k % 160)); };
  for (const std::int64_t a_count : {1, 3, 4, 9, 16, 37})
    for (const std::int64_t b_count : {1, 2, 4, 7, 8})
      for (std::int64_t depth = 1; depth < 40; ++depth) {
        std::vector<std::int16_t> a, b;
        for (std::int64_t k = 0; k < a_count * depth; ++k) a.push_back(left(k));
        for (std::int64_t k = 0; k < b_count * depth; ++k) b.push_back(right(k));
        std::vector<std::int32_t> sums(static_cast<std::size_t>(a_count * b_count), 7);
        accumulator.add_products({a.data(), a_count, 1}, {b.data(), b_count, a_count}, depth, sums.data());
        for (std::int64_t i = 0; i < a_count; ++i)
          for (std::int64_t j = 0; j < b_count; ++j) {
            std::int32_t want = 7;
            for (std::int64_t k = 0; k < depth; ++k)
              want = accumulator.add(want, left(i * depth + k) * right(j * depth + k));
            EXPECT_EQ(sums[static_cast<std::size_t>(i + j * a_count)], want)
                << "line " << i << " of " << a_count << ", line " << j << " of " << b_count << ", depth " << depth;
          }
      }
}

TEST(Int32Accumulator, SumsEveryLineWithEveryLine) { expect_all_sums(Int32Accumulator{}); }

// 14 bits are left again and again.
TEST(NarrowAccumulator, SumsEveryLineWithEveryLine) {
  for (const int bits : {14, 31, 32}) expect_all_sums(NarrowAccumulator{bits, Overflow::kSaturate});
  expect_all_sums(NarrowAccumulator{14, Overflow::kWrap});
}

TEST(NarrowAccumulator, WrapsOrSaturatesAfterEveryAddition) {
  const std::vector<std::int16_t> a = {200, 200}, b = {200, -200};  // 40000 - 40000
  const NarrowAccumulator wrap = {16, Overflow::kWrap}, saturate = {16, Overflow::kSaturate};
  EXPECT_EQ(dot(wrap, 0, a, b, 1), -25536);
  EXPECT_EQ(dot(wrap, 0, a, b, 2), 0);
  EXPECT_EQ(dot(saturate, 0, a, b, 1), 32767);
  EXPECT_EQ(dot(saturate, 0, a, b, 2), -7233);
}

TEST(NarrowAccumulator, FitsTheBiasFirst) {
  const std::vector<std::int16_t> one = {1};
  EXPECT_EQ((dot(NarrowAccumulator{8, Overflow::kWrap}, 255, one, one, 1)), 0);
  EXPECT_EQ((dot(NarrowAccumulator{8, Overflow::kSaturate}, 300, one, one, 0)), 127);
  EXPECT_EQ((dot(NarrowAccumulator{8, Overflow::kSaturate}, -300, one, one, 0)), -128);
}

TEST(NarrowAccumulator, Saturates32BitsToo) {
  const NarrowAccumulator saturate = {32, Overflow::kSaturate};
  EXPECT_EQ(saturate.add(2147483647, 1), 2147483647);
  EXPECT_EQ(saturate.add(-2147483647 - 1, -1), -2147483647 - 1);
}

TEST(WithAccumulator, PicksWhatTheArithmeticSays) {
  const std::vector<std::int16_t> a(70000, 255);
  const auto sum = [&](const Arithmetic& arithmetic) {
    return with_accumulator(arithmetic, [&](auto accumulator) { return dot(accumulator, 0, a, a, 70000); });
  };
  EXPECT_EQ(sum({}), 256782704);
  EXPECT_EQ(sum({.accumulator_overflow = Overflow::kSaturate}), 2147483647);
  EXPECT_EQ(sum({.accumulator_bits = 16}), 256782704 - 3918 * 65536);  // 12656
}

TEST(PaddedLength, FillsVectorsButNotShortLines) {
  EXPECT_EQ(padded_length(0), 0);
  EXPECT_EQ(padded_length(15), 15);
  EXPECT_EQ(padded_length(16), 16);
  EXPECT_EQ(padded_length(27), 32);
}

}  // namespace
}  // namespace octet
