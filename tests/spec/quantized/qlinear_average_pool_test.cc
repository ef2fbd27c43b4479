#include "octet/spec/quantized/qlinear_average_pool.h"

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

Tensor average_pool(const AttributeList& attributes, const Tensor& x, int y_zero_point,
                    const Arithmetic& arithmetic = {}) {
  return apply("QLinearAveragePool", attributes, {x, f32(1), u8(0), f32(1), u8(y_zero_point)}, arithmetic);
}

TEST(QLinearAveragePool, AddsTheZeroPointBeforeRounding) {
  const Tensor x = u8({1, 1, 3}, {2, 3, 5});  // 2.5, 4
  const AttributeList two = {{"kernel_shape", ints({2})}};
  EXPECT_EQ(values<std::uint8_t>(average_pool(two, x, 0)), (Bytes{2, 4}));
  EXPECT_EQ(values<std::uint8_t>(average_pool(two, x, 1)), (Bytes{4, 5}));  // 3.5
  EXPECT_EQ(values<std::uint8_t>(average_pool(two, x, 1, {.zero_point = ZeroPoint::kAfterRounding})), (Bytes{3, 5}));
  EXPECT_EQ(values<std::uint8_t>(average_pool(two, x, 0, {.rounding = Rounding::kTiesAway})), (Bytes{3, 4}));
}

TEST(QLinearAveragePool, IsTheGlobalPoolWhereTheWindowIsTheImage) {
  const AttributeList whole = {{"kernel_shape", ints({2})}};
  EXPECT_EQ(values<std::uint8_t>(average_pool(whole, u8({1, 1, 2}, {2, 3}), 1)), (Bytes{3}));  // 2.5 to 2, + 1
}

TEST(QLinearAveragePool, CountsThePixelsInsideOrTheWholeKernel) {
  const Tensor x = u8({1, 1, 2, 2}, {10, 20, 30, 40});
  AttributeList padded = {{"kernel_shape", ints({2, 2})}, {"pads", ints({1, 1, 0, 0})}};
  EXPECT_EQ(values<std::uint8_t>(average_pool(padded, x, 0)), (Bytes{10, 15, 20, 25}));
  padded.emplace_back("count_include_pad", 1L);
  EXPECT_EQ(values<std::uint8_t>(average_pool(padded, x, 0)), (Bytes{2, 8, 10, 25}));  // 2.5, 7.5, 10, 25
}

TEST(QLinearAveragePool, LeavesOutAWindowThatStartsInThePadding) {
  const Tensor x = u8({1, 1, 3}, {10, 20, 30});
  const AttributeList ceil = {{"kernel_shape", ints({2})}, {"strides", ints({2})}, {"ceil_mode", 1L}};
  EXPECT_EQ(values<std::uint8_t>(average_pool(ceil, x, 0)), (Bytes{15, 30}));
}

TEST(QLinearAveragePool, CropsWhereSamePaddingWouldBeNegative) {
  const Tensor x = u8({1, 1, 6}, {10, 20, 30, 40, 50, 60});
  const auto pooled = [&](const char* mode) {
    return values<std::uint8_t>(
        average_pool({{"kernel_shape", ints({1})}, {"strides", ints({3})}, {"auto_pad", mode}}, x, 0));
  };
  EXPECT_EQ(pooled("SAME_UPPER"), (Bytes{20, 50}));  // -2 in all: one pixel less at either end
  EXPECT_EQ(pooled("SAME_LOWER"), (Bytes{10, 40}));
}

TEST(QLinearAveragePool, ReadsChannelsLastAsWell) {
  // Channel 0 is 1, 2, 3; channel 1 is 10, 20, 30.
  const Tensor x = u8({1, 3, 2}, {1, 10, 2, 20, 3, 30});
  const Tensor y = average_pool({{"kernel_shape", ints({2})}, {"channels_last", 1L}}, x, 0);
  EXPECT_EQ(y.shape(), (Shape{1, 2, 2}));
  EXPECT_EQ(values<std::uint8_t>(y), (Bytes{2, 15, 2, 25}));  // 1.5, 15, 2.5, 25
}

TEST(QLinearAveragePool, SumsInThreeDimensionsInOrder) {
  const Tensor y = average_pool({{"kernel_shape", ints({2, 1, 2})}}, counting<std::uint8_t>({1, 1, 2, 2, 2}), 0);
  EXPECT_EQ(values<std::uint8_t>(y), (Bytes{2, 4}));  // (0 + 1 + 4 + 5) / 4 = 2.5, (2 + 3 + 6 + 7) / 4 = 4.5
}

TEST(QLinearAveragePool, SumsIntegersForOtherProducts) {
  const AttributeList two = {{"kernel_shape", ints({2})}};
  const Tensor x = u8({1, 1, 3}, {200, 201, 100});
  EXPECT_EQ(values<std::uint8_t>(average_pool(two, x, 0, {.product = Product::kFloat64})), (Bytes{200, 150}));  // 200.5
  EXPECT_EQ(
      values<std::uint8_t>(average_pool(two, x, 0, {.rounding = Rounding::kTiesUp, .product = Product::kFixedSingle})),
      (Bytes{201, 151}));
  EXPECT_EQ(values<std::uint8_t>(average_pool(
                two, x, 0,
                {.accumulator_bits = 9, .accumulator_overflow = Overflow::kSaturate, .product = Product::kFloat64})),
            (Bytes{128, 128}));  // 255 / 2 = 127.5
}

TEST(QLinearAveragePool, ConvertsBeforeItSaturates) {
  const AttributeList two = {{"kernel_shape", ints({2})}};
  const std::vector<Tensor> inputs = {u8({1, 1, 3}, {255, 255, 255}), f32(1), u8(0), f32(1e-10F), u8(0)};
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearAveragePool", two, inputs)), (Bytes{0, 0}));
}

TEST(QLinearAveragePool, InfersWithSymbols) {
  const std::vector<Fact> facts = {fact(DType::kUint8, SymbolicShape{Dim::symbol("N"), 8, Dim::symbol("H"), 9}),
                                   fact(DType::kFloat, SymbolicShape{}), fact(DType::kUint8, SymbolicShape{}),
                                   fact(DType::kFloat, SymbolicShape{}), fact(DType::kUint8, SymbolicShape{})};
  EXPECT_EQ(text(inferred("QLinearAveragePool", {{"kernel_shape", ints({3, 3})}, {"pads", ints({1, 1, 1, 1})}}, facts)),
            "uint8[N,8,H,9]");
}

TEST(QLinearAveragePool, ChecksItsConstraints) {
  const std::vector<Tensor> inputs = {u8({1, 1, 3}, {1, 2, 3}), f32(1), u8(0), f32(1), u8(0)};
  const AttributeList two = {{"kernel_shape", ints({2})}};
  const auto check = [&](std::size_t index, Tensor tensor) {
    return refused("QLinearAveragePool", two, with(inputs, index, std::move(tensor)));
  };
  EXPECT_EQ(refused("QLinearAveragePool", two, inputs), "");
  EXPECT_EQ(check(0, f32({1, 1, 3}, {1, 2, 3})), "qlinear_average_pool_c1");
  EXPECT_EQ(check(2, s8(0)), "qlinear_average_pool_c1");
  EXPECT_EQ(check(3, f32({2}, {1, 1})), "qlinear_average_pool_c2");
  EXPECT_EQ(check(0, u8({1, 3}, {1, 2, 3})), "qlinear_average_pool_c3");
  EXPECT_EQ(refused("QLinearAveragePool", {}, inputs), "qlinear_average_pool_c4");
  EXPECT_EQ(refused("QLinearAveragePool", {{"kernel_shape", ints({4})}}, inputs), "qlinear_average_pool_c4");
  EXPECT_EQ(refused("QLinearAveragePool", {{"kernel_shape", ints({2})}, {"pads", ints({2, 0})}}, inputs),
            "qlinear_average_pool_c4");
  EXPECT_EQ(refused("QLinearAveragePool", {{"kernel_shape", ints({2})}, {"dilations", ints({2})}}, inputs),
            "qlinear_average_pool_c4");
}

TEST(QLinearAveragePool, RefusesKernelsWhoseSizeOverflows) {
  const std::int64_t huge = std::int64_t{1} << 31;
  const std::vector<Tensor> inputs = {Tensor(DType::kUint8, {1, 1, 1, 1, 1}), f32(1), u8(0), f32(1), u8(0)};
  const AttributeList attributes = {{"kernel_shape", ints({huge, huge, huge})},
                                    {"pads", ints({huge - 1, huge - 1, huge - 1, 0, 0, 0})}};
  EXPECT_EQ(failure_of([&] { apply("QLinearAveragePool", attributes, inputs); }).code(), ErrorCode::kLimit);
}

}  // namespace
}  // namespace octet
