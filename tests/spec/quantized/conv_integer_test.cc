#include "octet/spec/quantized/conv_integer.h"

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

TEST(ConvInteger, SumsTheProductsLessTheZeroPoints) {
  const Tensor x = u8({1, 1, 3}, {1, 2, 3}), w = s8({1, 1, 2}, {1, -1});
  EXPECT_EQ(values<std::int32_t>(apply("ConvInteger", {}, {x, w})), (Integers{-1, -1}));
  EXPECT_EQ(values<std::int32_t>(apply("ConvInteger", {}, {x, w, u8(1), s8(-2)})), (Integers{1, 5}));
}

TEST(ConvInteger, HasAZeroPointPerOutputChannel) {
  const Tensor x = u8({1, 1, 1}, {10}), w = u8({2, 1, 1}, {5, 5});
  EXPECT_EQ(values<std::int32_t>(apply("ConvInteger", {}, {x, w, u8(0), u8({2}, {1, 7})})), (Integers{40, -20}));
}

TEST(ConvInteger, ReachesTheEndsOfItsRange) {
  // 33025 products of 255 * 255 are the most that fit; one more would not.
  Tensor x(DType::kUint8, {1, 33025, 1}), w(DType::kUint8, {1, 33025, 1});
  for (std::uint8_t& element : x.mutable_as<std::uint8_t>()) element = 255;
  for (std::uint8_t& element : w.mutable_as<std::uint8_t>()) element = 255;
  EXPECT_EQ(values<std::int32_t>(apply("ConvInteger", {}, {x, w})), (Integers{2147450625}));
  EXPECT_EQ(values<std::int32_t>(apply("ConvInteger", {}, {x, w}, {.accumulator_bits = 24})), (Integers{-33023}));
  EXPECT_EQ(values<std::int32_t>(apply("ConvInteger", {}, {x, w},
                                       {.accumulator_bits = 24, .accumulator_overflow = Overflow::kSaturate})),
            (Integers{8388607}));
}

TEST(ConvInteger, ChecksItsConstraints) {
  const std::vector<Tensor> inputs = {u8({1, 1, 3}, {1, 2, 3}), s8({2, 1, 2}, {1, 2, 3, 4}), u8(0), s8(0)};
  EXPECT_EQ(refused("ConvInteger", {}, inputs), "");
  EXPECT_EQ(refused("ConvInteger", {}, with(inputs, 0, i32({1, 1, 3}, {1, 2, 3}))), "conv_integer_c1");
  EXPECT_EQ(refused("ConvInteger", {}, with(inputs, 2, s8(0))), "conv_integer_c1");
  EXPECT_EQ(refused("ConvInteger", {}, with(inputs, 3, u8(0))), "conv_integer_c1");
  EXPECT_EQ(refused("ConvInteger", {}, with(inputs, 0, u8({1, 3}, {1, 2, 3}))), "conv_integer_c2");
  EXPECT_EQ(refused("ConvInteger", {}, {Tensor(DType::kUint8, {1, 0, 3}), Tensor(DType::kInt8, {2, 0, 1})}),
            "conv_integer_c2");
  EXPECT_EQ(refused("ConvInteger", {}, with(inputs, 2, u8({2}, {0, 0}))), "conv_integer_c3");
  EXPECT_EQ(refused("ConvInteger", {}, with(inputs, 3, s8({3}, {0, 0, 0}))), "conv_integer_c3");
  EXPECT_EQ(refused("ConvInteger", {{"pads", ints({-1, 0})}}, inputs), "conv_integer_c4");
}

}  // namespace
}  // namespace octet
