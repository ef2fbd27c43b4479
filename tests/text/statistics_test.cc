#include "octet/text/statistics.h"

#include <gtest/gtest.h>

#include <limits>

namespace octet {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(Statistics, LeaveOutNaNs) {
  const std::optional<Statistics> s = statistics_of(Tensor::from<float>({4}, {kNaN, 3, -1, 4}));
  ASSERT_TRUE(s);
  EXPECT_EQ(s->least, 2);
  EXPECT_EQ(s->greatest, 3);
  EXPECT_EQ(s->mean, 2);
  EXPECT_EQ(s->nans, 1);
}

TEST(Statistics, AreOfNumbersAlone) {
  EXPECT_FALSE(statistics_of(Tensor::from<float>({1}, {kNaN})));
  EXPECT_FALSE(statistics_of(Tensor(DType::kFloat, {0})));
  EXPECT_FALSE(statistics_of(Tensor(DType::kString, {1})));
}

TEST(FirstElements, EndInDotsWhereThereAreMore) {
  const Tensor three = Tensor::from<std::int8_t>({3}, {1, -2, 3});
  EXPECT_EQ(first_elements(three, 3), "1 -2 3");
  EXPECT_EQ(first_elements(three, 2), "1 -2 …");
  EXPECT_EQ(first_elements(Tensor(DType::kString, {1}), 2), "");
}

TEST(TensorFacts, HaveTheFirstEightElements) {
  const Json facts = tensor_facts("x", Tensor::from<std::int8_t>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(facts["name"], "x");
  EXPECT_EQ(facts["type"], "int8");
  EXPECT_EQ(facts["shape"], (Json{3, 3}));
  EXPECT_EQ(facts["max"], 9);
  EXPECT_EQ(facts["mean"], 5.0);
  EXPECT_EQ(facts["first"], (Json{1, 2, 3, 4, 5, 6, 7, 8}));
}

}  // namespace
}  // namespace octet
