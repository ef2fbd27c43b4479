#include "octet/spec/reach.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace octet {
namespace {

// Every x, and every zero point, of a type of three values, tried one by one.
TEST(Reach, IsWhatEveryInputAndEveryZeroPointReach) {
  const Interval x{-1, 2};
  for (int a = -3; a <= 3; ++a)
    for (int b = -3; b <= 3; ++b)
      for (const Interval& zero_points : {Interval{1, 1}, Interval{-1, 2}})
        for (const int bias : {0, 7, -9}) {
          const WeightSums sums = weight_sums(
              Tensor::from<std::int8_t>({1, 2}, {static_cast<std::int8_t>(a + 1), static_cast<std::int8_t>(b + 1)}), 0,
              1);
          std::optional<Interval> final, raw;
          for (std::int64_t zx = zero_points.least; zx <= zero_points.greatest; ++zx)
            for (std::int64_t p = x.least; p <= x.greatest; ++p)
              for (std::int64_t q = x.least; q <= x.greatest; ++q) {
                const std::int64_t acc = bias + (p - zx) * a + (q - zx) * b, bytes = p * a + q * b;
                if (!final) final = Interval{acc, acc}, raw = Interval{bytes, bytes};
                final->include({acc, acc});
                raw->include({bytes, bytes});
              }
          const SumReach found = sum_reach(sums, x, zero_points, bias);
          ASSERT_EQ(found.final, *final) << a << " " << b << " bias " << bias;
          ASSERT_EQ(found.raw, *raw) << a << " " << b;
          ASSERT_EQ(found.any_order, (Interval{final->least - std::max(bias, 0), final->greatest - std::min(bias, 0)}));
          if (zero_points.least == zero_points.greatest)
            ASSERT_EQ(found.start, bias - (a + b));
          else
            ASSERT_FALSE(found.start);
        }
}

TEST(Reach, ReadsTheRowOfAChannel) {
  const auto expect = [](const Tensor& weights) {
    const WeightSums sums = weight_sums(weights, 1, 2);
    EXPECT_EQ(sums.positive, 8);  // 9 - 2, 3 - 2
    EXPECT_EQ(sums.negative, -1);
  };
  expect(Tensor::from<std::int8_t>({2, 3}, {100, 50, 70, 9, 1, 3}));
  expect(Tensor::from<std::uint8_t>({2, 3}, {100, 50, 70, 9, 1, 3}));
  expect(Tensor::from<std::int16_t>({2, 3}, {100, 50, 70, 9, 1, 3}));
}

TEST(Reach, AddsUpLongRows) {
  constexpr std::int64_t kProducts = 200'001;
  Tensor weights(DType::kInt8, {1, kProducts});
  std::ranges::fill(weights.mutable_as<std::int8_t>(), std::int8_t{-128});
  weights.mutable_as<std::int8_t>().back() = 127;
  for (const std::int32_t zero_point : {127, -128, 100'000}) {
    const WeightSums sums = weight_sums(weights, 0, zero_point);
    std::int64_t positive = 0, negative = 0;
    for (const std::int64_t count : {kProducts - 1, std::int64_t{1}}) {
      const std::int64_t w = (count == 1 ? 127 : -128) - std::int64_t{zero_point};
      (w > 0 ? positive : negative) += count * w;
    }
    EXPECT_EQ(sums.positive, positive) << zero_point;
    EXPECT_EQ(sums.negative, negative) << zero_point;
  }
}

}  // namespace
}  // namespace octet
