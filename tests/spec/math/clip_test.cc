#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

Tensor x() { return Tensor::from<float>({3}, {-2, 0.5F, 3}); }

TEST(Clip, TakesBoundsFromAttributesBeforeOpset11) {
  EXPECT_EQ(values<float>(run_operator("Clip", 6, {{"min", -1.0F}, {"max", 2.0F}}, {x()})[0]), (Floats{-1, 0.5F, 2}));
  EXPECT_EQ(values<float>(run_operator("Clip", 10, {{"max", 2.0F}}, {x()})[0]), (Floats{-2, 0.5F, 2}));
}

TEST(Clip, TakesBoundsFromInputsSince) {
  const Tensor low = Tensor::scalar(-1.0F), high = Tensor::scalar(2.0F);
  EXPECT_EQ(values<float>(run_operator("Clip", 11, {}, {x(), low, high})[0]), (Floats{-1, 0.5F, 2}));
  EXPECT_EQ(values<float>(run_operator("Clip", 13, {}, {x(), low})[0]), (Floats{-1, 0.5F, 3}));
  EXPECT_EQ(values<float>(run_operator("Clip", 13, {}, {x(), Tensor(), high})[0]), (Floats{-2, 0.5F, 2}));
  EXPECT_EQ(values<float>(run_operator("Clip", 13, {}, {x()})[0]), (Floats{-2, 0.5F, 3}));
}

TEST(Clip, GivesTheUpperBoundWhereTheBoundsCross) {
  EXPECT_EQ(values<float>(run_operator("Clip", 13, {}, {x(), Tensor::scalar(2.0F), Tensor::scalar(1.0F)})[0]),
            (Floats{1, 1, 1}));
}

TEST(Clip, KeepsNaN) {
  const Tensor nan = Tensor::from<float>({1}, {std::numeric_limits<float>::quiet_NaN()});
  EXPECT_TRUE(
      std::isnan(run_operator("Clip", 13, {}, {nan, Tensor::scalar(0.0F), Tensor::scalar(1.0F)})[0].number_at(0)));
}

TEST(Clip, ClipsIntegers) {
  const Tensor bytes = Tensor::from<std::int8_t>({3}, {-128, 5, 127});
  const Tensor y =
      run_operator("Clip", 12, {}, {bytes, Tensor::scalar<std::int8_t>(-3), Tensor::scalar<std::int8_t>(6)})[0];
  EXPECT_EQ(values<std::int8_t>(y), (std::vector<std::int8_t>{-3, 5, 6}));
}

TEST(Clip, ChecksItsConstraints) {
  EXPECT_EQ(broken_constraint("Clip", 13, {}, {Tensor(DType::kBool, {1})}), "clip_c1");
  EXPECT_EQ(broken_constraint("Clip", 6, {{"min", 1e30F}}, {Tensor(DType::kInt32, {1})}), "clip_c1");
  EXPECT_EQ(broken_constraint("Clip", 13, {}, {x(), Tensor::scalar(1.0)}), "clip_c2");
  EXPECT_EQ(broken_constraint("Clip", 13, {}, {x(), Tensor(), x()}), "clip_c2");
}

}  // namespace
}  // namespace octet
