#include "octet/spec/integer_addition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "octet/spec/quantized/qlinear_add.h"
#include "tests/support/sanitized.h"

namespace octet {
namespace {

constexpr IntegerRange kBytes = {-128, 127};

void expect_equal_on_every_pair(const IntegerAddition& integer, const QuantizedBinary& real,
                                const IntegerRange& range) {
  for (auto a = static_cast<std::int32_t>(range.min); a <= range.max; ++a)
    for (auto b = static_cast<std::int32_t>(range.min); b <= range.max; ++b)
      ASSERT_EQ(integer(a, b), real(a, b)) << a << " and " << b;
}

void expect_no_needless_exception(const IntegerAddition& integer) {
  for (const PairException& some : integer.exceptions)
    for (std::int32_t b = some.first; b <= some.last; ++b) ASSERT_NE(integer.plane(some.a, b), some.value);
}

// The three additions of ResNet8, with the constants of docs/quantization/05-residual-connections.md.
TEST(IntegerAddition, HasTheReferencesConstants) {
  struct Block {
    Quantization a, b, y;
    std::int64_t ma, mb, addend;
    int shift, sum;
  };
  const Block blocks[] = {
      {{0x1.6d7148p-3F, 24}, {0x1.108588p-4F, -128}, {0x1.690982p-4F, -128}, 530685, 197874, -20831901, 18, 28},
      {{0x1.0c69e6p-2F, -14}, {0x1.be488ap-5F, -2}, {0x1.19b14ap-3F, -128}, 999147, 207656, -52443405, 19, 29},
      {{0x1.e6da74p-2F, -27}, {0x1.081cf6p-4F, 74}, {0x1.15b028p-2F, -128}, 1838402, 249329, -102506859, 20, 30},
  };
  for (const Block& block : blocks) {
    const IntegerAddition integer = integer_addition(block.a, block.b, block.y, kBytes);
    EXPECT_TRUE(integer.exceptions.empty());
    EXPECT_EQ(integer.ma, block.ma);
    EXPECT_EQ(integer.mb, block.mb);
    EXPECT_EQ(integer.addend, block.addend);
    EXPECT_EQ(integer.shift, block.shift);
    EXPECT_EQ(widths(integer).sum, block.sum);
    expect_equal_on_every_pair(integer, qlinear_add(block.a, block.b, block.y, kBytes, {}), kBytes);
  }
}

TEST(IntegerAddition, EqualsQLinearAddOnEveryPair) {
  std::mt19937 random(31);
  const auto scale = [&] {
    return std::ldexp(1.0F + static_cast<float>(random() % (1 << 23)) * 0x1p-23F, -3 - static_cast<int>(random() % 5));
  };
  std::int64_t without = 0;
  const int cases = kSanitized ? 3 : 30;
  for (int k = 0; k < cases; ++k) {
    const IntegerRange range = k % 2 == 0 ? kBytes : IntegerRange{0, 255};
    const auto zero_point = [&] {
      return static_cast<std::int32_t>(range.min) + static_cast<std::int32_t>(k % 3 == 0 ? 0 : random() % 256);
    };
    const Quantization a{scale(), zero_point()}, b{scale(), zero_point()}, y{scale(), zero_point()};
    for (const bool swaps : {false, true}) {
      const IntegerAddition integer = integer_addition(a, b, y, range, swaps);
      const QuantizedBinary straight = qlinear_add(a, b, y, range, {}), exchanged = qlinear_add(b, a, y, range, {});
      expect_equal_on_every_pair(
          integer,
          swaps ? QuantizedBinary([&](std::int32_t x, std::int32_t z, std::int64_t) { return exchanged(z, x); })
                : straight,
          range);
      expect_no_needless_exception(integer);
      without += integer.exceptions.empty() ? 1 : 0;
    }
  }
  EXPECT_GT(without, cases);
}

// Powers of two have true ties, which go to even: no plane does that.
TEST(IntegerAddition, HasExceptionsForTies) {
  const Quantization a{0.25F, 3}, b{0.5F, -1}, y{1.0F, 0};
  const IntegerAddition integer = integer_addition(a, b, y, kBytes);
  EXPECT_FALSE(integer.exceptions.empty());
  EXPECT_LT(excepted(integer), 65536 / 4);
  expect_no_needless_exception(integer);
  expect_equal_on_every_pair(integer, qlinear_add(a, b, y, kBytes, {}), kBytes);
}

TEST(IntegerAddition, HasOneExceptionForEachRunOfB) {
  const QuantizedBinary add([](std::int32_t a, std::int32_t b, std::int64_t) {
    if ((a == 0 && b == 5) || (a == 1 && (b == 6 || b == 7)) || (a == 1 && b == 9)) return 100;
    return std::clamp(a + b, -128, 127);
  });
  const IntegerAddition integer = integer_addition(add, 1, 1, kBytes);
  EXPECT_EQ(integer.exceptions, (std::vector<PairException>{{0, 5, 5, 100}, {1, 6, 7, 100}, {1, 9, 9, 100}}));
  EXPECT_EQ(excepted(integer), 4);
  expect_equal_on_every_pair(integer, add, kBytes);
}

TEST(IntegerAddition, AlwaysSucceeds) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float scale : {0.0F, -0.3F, 1e-30F, 1e30F, infinity, -infinity, std::nanf(""), 0x1p-149F})
    for (int place = 0; place < 3; ++place) {
      float scales[] = {0.1F, 0.07F, 0.2F};
      scales[place] = scale;
      const Quantization a{scales[0], -5}, b{scales[1], 100}, y{scales[2], 17};
      expect_equal_on_every_pair(integer_addition(a, b, y, kBytes), qlinear_add(a, b, y, kBytes, {}), kBytes);
    }
}

TEST(IntegerAddition, RoundsDownAndSaturates) {
  const IntegerAddition integer{3, -1, 2, 2, {-8, 7}, {{1, 2, 3, 5}, {2, -8, -8, 0}}};
  EXPECT_EQ(integer(1, 1), 1);  // 4 / 4
  EXPECT_EQ(integer(1, 2), 5);  // an exception, like the next
  EXPECT_EQ(integer(1, 3), 5);
  EXPECT_EQ(integer(1, 4), 0);    // 1 / 4
  EXPECT_EQ(integer(-1, 0), -1);  // -1 / 4
  EXPECT_EQ(integer(2, -8), 0);
  EXPECT_EQ(integer(2, -7), 3);   // 15 / 4
  EXPECT_EQ(integer(7, -8), 7);   // 31 / 4
  EXPECT_EQ(integer(-8, 7), -8);  // -29 / 4
}

}  // namespace
}  // namespace octet
