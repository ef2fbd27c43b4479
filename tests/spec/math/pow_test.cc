#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

Tensor power(const Tensor& x, const Tensor& y) { return run_operator("Pow", 15, {}, {x, y})[0]; }

TEST(Pow, RaisesFloats) {
  const Tensor y = power(Tensor::from<float>({3}, {2, 9, 2}), Tensor::from<float>({3}, {3, 0.5F, -1}));
  EXPECT_EQ(values<float>(y), (std::vector<float>{8, 3, 0.5F}));
}

TEST(Pow, MultipliesWhereOneExponentIsTwoOrThree) {
  // 25 * 2^-150 is a tie of subnormal numbers, which libm's pow rounds twice.
  const Tensor x = Tensor::from<float>({2}, {0x1.4p-73F, 0x1.000002p0F});
  EXPECT_EQ(values<float>(power(x, Tensor::scalar(2.0F))), (std::vector<float>{0x1.8p-146F, 0x1.000004p0F}));
  EXPECT_EQ(values<float>(power(x, Tensor::scalar(std::int64_t{2}))), (std::vector<float>{0x1.8p-146F, 0x1.000004p0F}));
  EXPECT_EQ(values<float>(power(x, Tensor::scalar(3.0F))), (std::vector<float>{0, 0x1.000006p0F}));
}

TEST(Pow, TakesExponentsOfAnotherType) {
  const Tensor x = Tensor::from<float>({2}, {2, -3});
  EXPECT_EQ(values<float>(power(x, Tensor::from<std::int64_t>({2}, {-1, 3}))), (std::vector<float>{0.5F, -27}));
  EXPECT_EQ(values<float>(power(x, Tensor::from<std::uint8_t>({2}, {2, 2}))), (std::vector<float>{4, 9}));
  EXPECT_EQ(power(convert(x, DType::kFloat16), Tensor::scalar(2.0)).dtype(), DType::kFloat16);
}

TEST(Pow, RaisesIntegersExactly) {
  const Tensor x = Tensor::from<std::int64_t>({4}, {3, -2, 0, 7});
  EXPECT_EQ(values<std::int64_t>(power(x, Tensor::from<std::int64_t>({4}, {39, 63, 0, 1}))),
            (std::vector<std::int64_t>{4052555153018976267, INT64_MIN, 1, 7}));
  EXPECT_EQ(values<std::int64_t>(power(x, Tensor::from<std::uint64_t>({4}, {2, 2, 2, 2}))),
            (std::vector<std::int64_t>{9, 4, 0, 49}));
}

TEST(Pow, TruncatesIntegersToNegativePowers) {
  const Tensor x = Tensor::from<std::int32_t>({5}, {1, -1, -1, 2, 0});
  EXPECT_EQ(values<std::int32_t>(power(x, Tensor::from<std::int32_t>({5}, {-5, -2, -3, -1, -1}))),
            (std::vector<std::int32_t>{1, 1, -1, 0, 0}));
}

TEST(Pow, TruncatesIntegersToRealPowers) {
  const Tensor x = Tensor::from<std::int32_t>({3}, {2, 9, 10});
  EXPECT_EQ(values<std::int32_t>(power(x, Tensor::from<float>({3}, {1.5F, 0.5F, 20}))),
            (std::vector<std::int32_t>{2, 3, INT32_MIN}));
}

TEST(Pow, ChecksItsConstraints) {
  const Tensor x(DType::kFloat, {2});
  EXPECT_EQ(broken_constraint("Pow", 15, {}, {Tensor(DType::kInt8, {2}), x}), "pow_c1");
  EXPECT_EQ(broken_constraint("Pow", 15, {}, {x, Tensor(DType::kBool, {2})}), "pow_c1");
  EXPECT_EQ(broken_constraint("Pow", 15, {}, {x, Tensor(DType::kFloat, {3})}), "pow_c2");
}

}  // namespace
}  // namespace octet
