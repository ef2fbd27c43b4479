#include "octet/base/vectors.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace octet {
namespace {

std::uint32_t bits(float x) { return std::isnan(x) ? 0x7FC00000 : std::bit_cast<std::uint32_t>(x); }
std::uint64_t bits(double x) { return std::isnan(x) ? 0x7FF8000000000000 : std::bit_cast<std::uint64_t>(x); }

// Any float, NaN and infinities among them: bits are drawn, not numbers.
float any_float(std::mt19937& random) { return std::bit_cast<float>(static_cast<std::uint32_t>(random())); }

// One whose exponent is that of `near`, give or take a few.
float float_near(float near, std::mt19937& random) {
  const int exponent = static_cast<int>(random() % 64) - 32;
  const float mantissa = 1 + static_cast<float>(random() % (1U << 23)) * 0x1p-23F;
  const int middle = std::isfinite(near) && near != 0 ? std::ilogb(near) : 0;
  return std::ldexp(random() % 2 == 0 ? mantissa : -mantissa, middle + exponent);
}

TEST(FusedMultiplyAdd, IsThatOfTheStandardLibrary) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000000; ++i) {
    const float a = any_float(random), b = i % 4 == 0 ? any_float(random) : float_near(1, random);
    const float c = i % 3 == 0 ? any_float(random) : float_near(a * b, random);
    ASSERT_EQ(bits(fused_multiply_add(a, b, c)), bits(std::fma(a, b, c))) << a << " * " << b << " + " << c;
  }
}

// a * b + c = 1 + 2^-23 + 2^-24 - 2^-60 lies just below the middle of two float32, and float64 puts it there.
TEST(FusedMultiplyAdd, RoundsOnce) {
  const float a = 0x1p-24F * (1 + 0x1p-18F), b = 1 - 0x1p-18F, c = 1 + 0x1p-23F;
  EXPECT_EQ(static_cast<float>(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c)), 1 + 0x1p-22F);
  EXPECT_EQ(fused_multiply_add(a, b, c), c);
  EXPECT_EQ(fused_multiply_add(-a, b, -c), -c);
  EXPECT_EQ(fused_multiply_add(a, -b, -c), -c);
}

template <typename V, typename T>
void expect_fused() {
  std::mt19937 random(2);
  for (int round = 0; round < 1000; ++round) {
    std::vector<T> x(V::kLanes), sums(V::kLanes), wanted;
    const T factor = static_cast<T>(float_near(1, random)) / 3;
    for (int lane = 0; lane < V::kLanes; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      x[at] = static_cast<T>(float_near(1, random)) / 3;
      sums[at] = static_cast<T>(float_near(1, random)) / 3;
      wanted.push_back(std::fma(factor, x[at], sums[at]));
    }
    V::call([factor, from = x.data(), to = sums.data()] {
      typename V::Type vector, sum;
      V::load(vector, from);
      V::load(sum, to);
      V::multiply_add(sum, factor, vector);
      V::store(sum, to);
    });
    for (std::size_t lane = 0; lane < wanted.size(); ++lane) ASSERT_EQ(bits(sums[lane]), bits(wanted[lane]));
  }
}

TEST(Vectors, RoundOnceAtTheBaseline) {
  expect_fused<Vector16<float>, float>();
  expect_fused<Vector16<double>, double>();
}

TEST(Vectors, RoundOnceAtTheWidest) {
  with_widest_vector<float>([]<typename V>() { expect_fused<V, float>(); });
  with_widest_vector<double>([]<typename V>() { expect_fused<V, double>(); });
}

TEST(Vectors, IntegersWrap) {
  with_widest_vector<std::uint32_t>([]<typename V>() {
    std::vector<std::uint32_t> numbers(V::kLanes, 0xFFFFFFFF);
    V::call([at = numbers.data()] {
      typename V::Type vector, sum;
      V::load(vector, at);
      V::load(sum, at);
      V::multiply_add(sum, 3, vector);
      V::store(sum, at);
    });
    EXPECT_EQ(numbers, std::vector<std::uint32_t>(V::kLanes, 0xFFFFFFFC));
  });
}

}  // namespace
}  // namespace octet
