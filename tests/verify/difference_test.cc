#include "octet/verify/difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace octet {
namespace {

TEST(Difference, ComparesIntegersExactly) {
  const Difference found =
      difference(Tensor::from<std::int8_t>({2, 2}, {1, 2, 3, -128}), Tensor::from<std::int8_t>({2, 2}, {1, 3, 3, 127}));
  EXPECT_EQ(found.elements, 4);
  EXPECT_EQ(found.differing, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(found.largest, 255);
  EXPECT_FALSE(found.equal());
}

TEST(Difference, HoldsFloatsToATolerance) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  const Difference found =
      difference(Tensor::from<float>({5}, {1, nan, infinity, 0, nan}),
                 Tensor::from<float>({5}, {1.25F, nan, infinity, 0.5F, 1}), std::vector<double>(5, 0.25));
  EXPECT_EQ(found.differing, (std::vector<std::int64_t>{3, 4}));
}

TEST(Difference, OfBitsSeesTheLastOne) {
  const float next = std::nextafter(1.0F, 2.0F), nan = std::nanf("");
  const Tensor a = Tensor::from<float>({5}, {1, 1, 0, nan, 2}), b = Tensor::from<float>({5}, {1, next, -0.0F, nan, 2});
  EXPECT_EQ(bit_difference(a, b).differing, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(bit_difference(a, a).differing, std::vector<std::int64_t>{});
  EXPECT_EQ(bit_difference(Tensor::from<float>({2}, {nan, 1}), Tensor::from<float>({2}, {1, nan})).differing,
            (std::vector<std::int64_t>{0, 1}));
  EXPECT_TRUE(difference(a, b, std::vector<double>(5, 1e-6)).equal());
  EXPECT_FALSE(bit_difference(a, Tensor::from<float>({1, 5}, {1, 1, 0, nan, 2})).equal());
  EXPECT_EQ(bit_difference(Tensor::from<std::int8_t>({2}, {1, 2}), Tensor::from<std::int8_t>({2}, {1, 3})).differing,
            std::vector<std::int64_t>{1});
}

TEST(Difference, SaysTheToleranceOfTheElementThatIsOff) {
  const Tensor a = Tensor::from<float>({3}, {1, 2, 3}), b = Tensor::from<float>({3}, {1.5F, 2.25F, 3});
  const Difference found = difference(a, b, std::vector<double>{1, 0.125, 8});
  EXPECT_EQ(found.differing, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(found.largest, 0.25);  // 0.5 is within its own
  EXPECT_EQ(found.tolerance, 0.125);
  EXPECT_EQ(difference(a, a, std::vector<double>{1, 0.125, 8}).tolerance, 8);
}

TEST(Difference, NeverCallsOtherTypesOrShapesEqual) {
  const Difference type = difference(Tensor(DType::kInt8, {2}), Tensor(DType::kUint8, {2}));
  EXPECT_EQ(type.wrong, "int8[2] against uint8[2]");
  EXPECT_FALSE(type.equal());
  EXPECT_FALSE(difference(Tensor(DType::kInt8, {0}), Tensor(DType::kInt8, {0, 1})).equal());
}

TEST(Difference, NamesAnElement) {
  EXPECT_EQ(index_at({2, 3, 4}, 23), (Shape{1, 2, 3}));
  EXPECT_EQ(element_name("y", {1, 2, 3}), "y[1,2,3]");
}

}  // namespace
}  // namespace octet
