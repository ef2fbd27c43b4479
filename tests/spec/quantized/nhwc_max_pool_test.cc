#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

// [1, 3, 3, 2]: the second channel is the first one negated.
Tensor nhwc_image() { return s8({1, 3, 3, 2}, {1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8, 9, -9}); }

TEST(NhwcMaxPool, TakesTheLargestOfEachChannel) {
  const Tensor y = apply("NhwcMaxPool", {{"kernel_shape", ints({2, 2})}}, {nhwc_image()});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 2, 2}));
  EXPECT_EQ(values<std::int8_t>(y), (SignedBytes{5, -1, 6, -2, 8, -4, 9, -5}));
}

TEST(NhwcMaxPool, LeavesPaddingOut) {
  const AttributeList attributes = {
      {"kernel_shape", ints({2, 2})}, {"strides", ints({2, 2})}, {"pads", ints({1, 1, 0, 0})}};
  const Tensor y = apply("NhwcMaxPool", attributes, {nhwc_image()});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 2, 2}));
  EXPECT_EQ(values<std::int8_t>(y), (SignedBytes{1, -1, 3, -2, 7, -4, 9, -5}));  // not 0 where all are negative
}

TEST(NhwcMaxPool, DilatesAndRoundsUp) {
  EXPECT_EQ(values<std::int8_t>(
                apply("NhwcMaxPool", {{"kernel_shape", ints({2, 2})}, {"dilations", ints({2, 2})}}, {nhwc_image()})),
            (SignedBytes{9, -1}));
  const AttributeList up = {{"kernel_shape", ints({2, 2})}, {"strides", ints({2, 2})}, {"ceil_mode", std::int64_t{1}}};
  EXPECT_EQ(values<std::int8_t>(apply("NhwcMaxPool", up, {nhwc_image()})), (SignedBytes{5, -1, 6, -3, 8, -7, 9, -9}));
}

TEST(NhwcMaxPool, StartsInsideTheImageWhereStridesAreWide) {
  // One window of 3 positions: it lacks 1 - 3 = -2 of them, and starts at 1.
  const AttributeList attributes = {
      {"kernel_shape", ints({1})}, {"strides", ints({3})}, {"auto_pad", std::string("SAME_UPPER")}};
  EXPECT_EQ(values<std::uint8_t>(apply("NhwcMaxPool", attributes, {u8({1, 3, 1}, {1, 2, 3})})), (Bytes{2}));
}

TEST(NhwcMaxPool, TakesAnyNumberOfSpatialAxesAndUnsignedBytes) {
  EXPECT_EQ(
      values<std::uint8_t>(apply("NhwcMaxPool", {{"kernel_shape", ints({2})}}, {u8({2, 2, 1}, {3, 200, 255, 1})})),
      (Bytes{200, 255}));
}

TEST(NhwcMaxPool, InfersWhatItCan) {
  const AttributeList attributes = {{"kernel_shape", ints({2, 2})}};
  EXPECT_EQ(
      text(inferred("NhwcMaxPool", attributes, {fact(DType::kUint8, SymbolicShape{Dim::symbol("N"), 5, Dim(), 3})})),
      "uint8[N,4,?,3]");
  EXPECT_EQ(text(inferred("NhwcMaxPool", attributes, {fact(DType::kInt8, std::nullopt)})), "int8 of any rank");
}

TEST(NhwcMaxPool, ChecksItsConstraints) {
  const AttributeList attributes = {{"kernel_shape", ints({2, 2})}};
  EXPECT_EQ(refused("NhwcMaxPool", attributes, {nhwc_image()}), "");
  EXPECT_EQ(refused("NhwcMaxPool", attributes, {Tensor(DType::kFloat, {1, 3, 3, 2})}), "nhwc_max_pool_c1");
  EXPECT_EQ(refused("NhwcMaxPool", {}, {nhwc_image()}), "nhwc_max_pool_c2");
  EXPECT_EQ(refused("NhwcMaxPool", attributes, {s8({2, 2}, {1, 2, 3, 4})}), "nhwc_max_pool_c2");
  EXPECT_EQ(
      refused("NhwcMaxPool",
              {{"kernel_shape", ints({2, 2})}, {"dilations", ints({2, 2})}, {"auto_pad", std::string("SAME_UPPER")}},
              {nhwc_image()}),
      "nhwc_max_pool_c2");
  EXPECT_EQ(refused("NhwcMaxPool", {{"kernel_shape", ints({4, 2})}}, {nhwc_image()}), "nhwc_max_pool_c2");
}

}  // namespace
}  // namespace octet
