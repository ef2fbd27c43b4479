#include "octet/evaluate/noise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace octet {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor reals(std::initializer_list<float> values) {
  return Tensor::from<float>({static_cast<std::int64_t>(values.size())}, values);
}
Noise noise_of(std::initializer_list<float> wanted, std::initializer_list<float> found, const Limits& limits = {}) {
  Noise noise;
  noise.add(reals(wanted), reals(found), limits);
  return noise;
}

TEST(Noise, HasTheFiguresOfItsFormulas) {
  const Noise noise = noise_of({3, 4, 0, -5}, {3, 3, 0, -4});  // signal 50, noise 2, product 41, found 34
  EXPECT_DOUBLE_EQ(noise.sqnr(), 10 * std::log10(25.0));
  EXPECT_DOUBLE_EQ(noise.cosine(), 41 / std::sqrt(50.0 * 34.0));
  EXPECT_DOUBLE_EQ(noise.mean_error(), 0);
  EXPECT_EQ(noise.largest(), 1);
  EXPECT_EQ(noise_of({1, 2}, {2, 2.5F}).mean_error(), 0.75);
}

TEST(Noise, DoesNotDependOnHowSamplesAreBatched) {
  Noise whole, parts;
  whole.add(reals({0.1F, 0.7F, -3, 1e8F}), reals({0.2F, 0.6F, -2, 1e8F}));
  parts.add(reals({0.1F}), reals({0.2F}));
  parts.add(reals({0.7F, -3, 1e8F}), reals({0.6F, -2, 1e8F}));
  EXPECT_EQ(whole.sqnr(), parts.sqnr());
  EXPECT_EQ(whole.cosine(), parts.cosine());
  EXPECT_EQ(whole.mean_error(), parts.mean_error());
}

TEST(Noise, IsDefinedForZerosAndConstants) {
  EXPECT_EQ(noise_of({0, 0}, {0, 0}).sqnr(), kInfinity);
  EXPECT_EQ(noise_of({0, 0}, {0, 0}).cosine(), 1);
  EXPECT_EQ(noise_of({0, 0}, {0, 1}).sqnr(), -kInfinity);
  EXPECT_EQ(noise_of({0, 0}, {0, 1}).cosine(), 0);
  EXPECT_EQ(noise_of({2, 2}, {0, 0}).sqnr(), 0);
  EXPECT_EQ(noise_of({2, 2}, {0, 0}).cosine(), 0);
  EXPECT_EQ(noise_of({2, 2}, {2, 2}).sqnr(), kInfinity);
  EXPECT_EQ(Noise().sqnr(), kInfinity);
  EXPECT_EQ(Noise().mean_error(), 0);
}

TEST(Noise, LeavesOutWhatIsNotFiniteOnBothSidesAndCountsWhatIsBroken) {
  const Noise same = noise_of({kNan, kInf, -kInf, 2}, {kNan, kInf, -kInf, 1});
  EXPECT_EQ(same.elements(), 1);
  EXPECT_EQ(same.broken(), 0);
  EXPECT_DOUBLE_EQ(same.sqnr(), 10 * std::log10(4.0));
  for (const auto& [wanted, found] : {std::pair{1.0F, kNan}, {kNan, 1.0F}, {kInf, -kInf}, {1.0F, kInf}}) {
    const Noise broken = noise_of({wanted, 3}, {found, 2});
    EXPECT_EQ(broken.broken(), 1);
    EXPECT_EQ(broken.elements(), 2);
    EXPECT_EQ(broken.sqnr(), -kInfinity);
    EXPECT_EQ(broken.largest(), kInfinity);
    EXPECT_EQ(broken.mean_error(), -1);
    EXPECT_DOUBLE_EQ(broken.cosine(), 1);
  }
}

TEST(Noise, CountsWantedNumbersBeyondTheLimits) {
  EXPECT_EQ(noise_of({-2, -1, 1, 2, 3}, {9, 9, 9, 9, 9}, {-1, 2}).clipped(), 2);
}

TEST(Noise, TakesEveryTypeOfNumbers) {
  Noise noise;
  noise.add(convert(reals({1, 2}), DType::kFloat16), Tensor::from<std::int8_t>({2}, {1, 3}));
  noise.add(convert(reals({1, 2}), DType::kDouble), convert(reals({1, 2}), DType::kBFloat16));
  EXPECT_EQ(noise.elements(), 4);
  EXPECT_EQ(noise.largest(), 1);
}

}  // namespace
}  // namespace octet
