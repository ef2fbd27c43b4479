#include "octet/spec/quantized/qlinear_conv.h"

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

// One pixel, one weight: acc = (x - x_zero_point) * (w - w_zero_point) + bias.
std::vector<Tensor> one_product(int x, int w, float multiplier, int y_zero_point) {
  return {s8({1, 1, 1}, {static_cast<std::int8_t>(x)}),
          f32(multiplier),
          s8(0),
          s8({1, 1, 1}, {static_cast<std::int8_t>(w)}),
          f32(1),
          s8(0),
          f32(1),
          s8(y_zero_point)};
}

std::int64_t requantized(int x, int w, float multiplier, int y_zero_point, const Arithmetic& arithmetic) {
  return apply("QLinearConv", {}, one_product(x, w, multiplier, y_zero_point), arithmetic).int_at(0);
}

TEST(QLinearConv, AddsTheZeroPointAfterRounding) {
  EXPECT_EQ(requantized(5, 1, 0.5F, 1, {}), 3);  // 2.5 -> 2, + 1
  EXPECT_EQ(requantized(5, 1, 0.5F, 1, {.zero_point = ZeroPoint::kBeforeRounding}), 4);
}

TEST(QLinearConv, FollowsEverySwitchOfTheArithmetic) {
  EXPECT_EQ(requantized(5, 1, 0.5F, 1, {.rounding = Rounding::kTiesAway}), 4);
  EXPECT_EQ(requantized(7, 1, 0.5F, 1, {.rounding = Rounding::kTowardZero}), 4);
  EXPECT_EQ(requantized(5, 1, 0.25F, 0, {}), 1);
  EXPECT_EQ(requantized(5, 1, 0.25F, 0, {.product = Product::kFixedDouble}), 2);  // 2.5 up to 3, 1.5 away to 2
  EXPECT_EQ(requantized(-6, 1, 0.25F, 0, {.rounding = Rounding::kTiesUp, .product = Product::kFixedSingle}), -1);
  EXPECT_EQ(requantized(100, 2, 0.5F, 0, {.accumulator_bits = 8}), -28);  // 200 wraps to -56
  EXPECT_EQ(requantized(100, 2, 0.5F, 0, {.accumulator_bits = 8, .accumulator_overflow = Overflow::kSaturate}), 64);
  EXPECT_EQ(requantized(127, 3, 1.0F / 3.0F, 0, {.product = Product::kFixedSingle}), 127);
  EXPECT_EQ(requantized(100, 3, 1.0F / 3.0F, 0, {.product = Product::kFixedSingle, .multiplier_bits = 2}), 112);
}

TEST(QLinearConv, MultipliesTheScalesLeftToRight) {
  // (0.1 * 0.1) / 0.1 is 0.10000001: five times that lies above one half. 0.1 * (0.1 / 0.1) is 0.1, and a tie.
  EXPECT_EQ(requantization_multiplier(0.1F, 0.1F, 0.1F), 0.10000001F);
  const Tensor five = s8({1, 1, 1}, {5}), one = s8({1, 1, 1}, {1}), scale = f32(0.1F);
  EXPECT_EQ(apply("QLinearConv", {}, {five, scale, s8(0), one, scale, s8(0), scale, s8(0)}).int_at(0), 1);
}

TEST(QLinearConv, ReadsPaddingAsTheZeroPointOfX) {
  const Tensor x = u8({1, 1, 2}, {11, 12}), w = u8({1, 1, 3}, {4, 5, 6});
  const Tensor y = apply("QLinearConv", {{"pads", ints({1, 1})}}, {x, f32(1), u8(10), w, f32(1), u8(3), f32(1), u8(0)});
  EXPECT_EQ(values<std::uint8_t>(y), (Bytes{1 * 2 + 2 * 3, 1 * 1 + 2 * 2}));
}

TEST(QLinearConv, HasAScaleAndAZeroPointPerOutputChannel) {
  const Tensor x = u8({1, 2, 1}, {10, 20}), w = s8({3, 2, 1}, {1, 2, 1, 2, 1, 2});
  const std::vector<Tensor> inputs = {x, f32(1), u8(0), w, f32({3}, {1, 2, 0.5F}), s8({3}, {0, 1, -1}), f32(1), u8(5)};
  // sums 50, 20, 80
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearConv", {}, inputs)), (Bytes{55, 45, 45}));
}

TEST(QLinearConv, AddsTheBiasBeforeItScales) {
  std::vector<Tensor> inputs = one_product(1, 1, 0.5F, 0);
  inputs.push_back(i32({1}, {2}));
  EXPECT_EQ(apply("QLinearConv", {}, inputs).int_at(0), 2);  // 1.5
  inputs.back() = i32({1}, {2147483647});
  EXPECT_EQ(apply("QLinearConv", {}, inputs).int_at(0), -128);  // wraps
  EXPECT_EQ(apply("QLinearConv", {}, inputs, {.accumulator_overflow = Overflow::kSaturate}).int_at(0), 127);
}

TEST(QLinearConv, TakesEveryCombinationOfTypes) {
  // x - zx = 3, w - zw = -4, acc = -12, y = zy - 12 in any types.
  for (const DType x : {DType::kInt8, DType::kUint8})
    for (const DType w : {DType::kInt8, DType::kUint8})
      for (const DType y : {DType::kInt8, DType::kUint8}) {
        const auto number = [](DType dtype, Shape shape, int value) {
          return convert(i32(std::move(shape), {value}), dtype);
        };
        const Tensor result = apply("QLinearConv", {},
                                    {number(x, {1, 1, 1}, 103), f32(1), number(x, {}, 100), number(w, {1, 1, 1}, 96),
                                     f32(1), number(w, {}, 100), f32(1), number(y, {}, 50)});
        EXPECT_EQ(result.dtype(), y);
        EXPECT_EQ(result.int_at(0), 38);
      }
}

TEST(QLinearConv, WorksInOneTwoAndThreeDimensionsWithGroupsStridesAndDilations) {
  // Two groups of one channel; 3 taps per axis with dilation 2 over 5 pixels: one output position per axis.
  for (const std::size_t rank : {1, 2, 3}) {
    Shape x_shape(rank + 2, 5), w_shape(rank + 2, 3);
    x_shape[0] = 1;
    x_shape[1] = 2;
    w_shape[0] = 2;
    w_shape[1] = 1;
    Tensor x(DType::kUint8, x_shape), w(DType::kUint8, w_shape);
    const std::int64_t pixels = element_count(x_shape) / 2, taps = element_count(w_shape) / 2;
    for (std::int64_t k = 0; k < x.size(); ++k)
      x.mutable_as<std::uint8_t>()[static_cast<std::size_t>(k)] = k < pixels ? 1 : 2;
    for (std::uint8_t& element : w.mutable_as<std::uint8_t>()) element = 1;
    const Tensor y = apply("QLinearConv",
                           {{"group", 2L},
                            {"dilations", std::vector<std::int64_t>(rank, 2)},
                            {"strides", std::vector<std::int64_t>(rank, 3)}},
                           {x, f32(1), u8(0), w, f32(1), u8(0), f32(1), u8(0)});
    EXPECT_EQ(y.shape(), [&] {
      Shape shape(rank + 2, 1);
      shape[1] = 2;
      return shape;
    }());
    EXPECT_EQ(y.int_at(0), taps);
    EXPECT_EQ(y.int_at(1), 2 * taps);
  }
}

TEST(QLinearConv, PadsEverySideAsAutoPadSays) {
  const Tensor x = u8({1, 1, 3}, {1, 2, 3}), w = u8({1, 1, 2}, {1, 10});
  const auto convolved = [&](const char* mode) {
    return values<std::uint8_t>(
        apply("QLinearConv", {{"auto_pad", mode}}, {x, f32(1), u8(0), w, f32(1), u8(0), f32(1), u8(0)}));
  };
  EXPECT_EQ(convolved("SAME_UPPER"), (Bytes{21, 32, 3}));
  EXPECT_EQ(convolved("SAME_LOWER"), (Bytes{10, 21, 32}));
  EXPECT_EQ(convolved("VALID"), (Bytes{21, 32}));
  EXPECT_EQ(convolved("NOTSET"), (Bytes{21, 32}));
}

TEST(QLinearConv, GivesTheBiasWhereThereIsOnlyPadding) {
  const Tensor x(DType::kUint8, {1, 1, 0}), w = u8({1, 1, 2}, {1, 1});
  const Tensor y = apply("QLinearConv", {{"pads", ints({1, 1})}},
                         {x, f32(1), u8(0), w, f32(1), u8(0), f32(1), u8(3), i32({1}, {4})});
  EXPECT_EQ(values<std::uint8_t>(y), (Bytes{7}));
}

TEST(QLinearConv, DoesNotDependOnTheNumberOfThreads) {
  Tensor x(DType::kUint8, {2, 3, 20, 20}), w(DType::kInt8, {8, 3, 3, 3});
  for (std::size_t k = 0; k < x.as<std::uint8_t>().size(); ++k)
    x.mutable_as<std::uint8_t>()[k] = static_cast<std::uint8_t>(k * 7);
  for (std::size_t k = 0; k < w.as<std::int8_t>().size(); ++k)
    w.mutable_as<std::int8_t>()[k] = static_cast<std::int8_t>(k * 5);
  const std::vector<Tensor> inputs = {x, f32(0.02F), u8(7), w, f32(0.03F), s8(0), f32(0.5F), u8(128)};
  const Arithmetic arithmetic;
  const Parallel one(1), four(4);
  const Operator& op = quantized_operator("QLinearConv");
  EXPECT_TRUE(execute(op, 10, {}, inputs, 1, {arithmetic, one})[0].identical(
      execute(op, 10, {}, inputs, 1, {arithmetic, four})[0]));
}

TEST(QLinearConv, InfersWithSymbols) {
  std::vector<Fact> inputs(8, fact(DType::kFloat, std::nullopt));
  inputs[0] = fact(DType::kUint8, SymbolicShape{Dim::symbol("N"), 3, Dim::symbol("H"), 32});
  inputs[2] = fact(DType::kUint8, SymbolicShape{});
  inputs[3] = fact(DType::kInt8, SymbolicShape{16, 3, 3, 3});
  inputs[5] = fact(DType::kInt8, std::nullopt);
  inputs[7] = fact(DType::kInt8, SymbolicShape{1});
  EXPECT_EQ(text(inferred("QLinearConv", {{"pads", ints({1, 1, 1, 1})}}, inputs)), "int8[N,16,H,32]");
}

TEST(QLinearConv, ChecksItsConstraints) {
  const std::vector<Tensor> inputs = {u8({1, 2, 3}, {1, 2, 3, 4, 5, 6}),
                                      f32(1),
                                      u8(0),
                                      s8({3, 2, 1}, {1, 2, 3, 4, 5, 6}),
                                      f32(1),
                                      s8(0),
                                      f32(1),
                                      u8(0),
                                      i32({3}, {1, 2, 3})};
  const auto check = [&](std::size_t index, Tensor tensor) {
    return refused("QLinearConv", {}, with(inputs, index, std::move(tensor)));
  };
  EXPECT_EQ(refused("QLinearConv", {}, inputs), "");
  EXPECT_EQ(check(0, f32({1, 2, 3}, {1, 2, 3, 4, 5, 6})), "qlinear_conv_c1");
  EXPECT_EQ(check(2, s8(0)), "qlinear_conv_c1");
  EXPECT_EQ(check(5, u8(0)), "qlinear_conv_c1");
  EXPECT_EQ(check(4, u8(0)), "qlinear_conv_c1");
  EXPECT_EQ(check(7, f32(0)), "qlinear_conv_c1");
  EXPECT_EQ(check(8, f32({3}, {1, 2, 3})), "qlinear_conv_c1");
  EXPECT_EQ(check(0, u8({1, 3, 2}, {1, 2, 3, 4, 5, 6})), "qlinear_conv_c2");
  EXPECT_EQ(refused("QLinearConv", {{"group", 2L}}, inputs), "qlinear_conv_c2");
  EXPECT_EQ(refused("QLinearConv", {},
                    with(with(inputs, 0, Tensor(DType::kUint8, {1, 0, 3})), 3, Tensor(DType::kInt8, {3, 0, 1}))),
            "qlinear_conv_c2");
  EXPECT_EQ(check(1, f32({2}, {1, 1})), "qlinear_conv_c3");
  EXPECT_EQ(check(4, f32({2}, {1, 1})), "qlinear_conv_c3");
  EXPECT_EQ(check(5, s8({3, 1}, {0, 0, 0})), "qlinear_conv_c3");
  EXPECT_EQ(check(7, u8({3}, {0, 0, 0})), "qlinear_conv_c3");
  EXPECT_EQ(refused("QLinearConv", {{"strides", ints({0})}}, inputs), "qlinear_conv_c4");
  EXPECT_EQ(refused("QLinearConv", {{"kernel_shape", ints({2})}}, inputs), "qlinear_conv_c4");
  EXPECT_EQ(refused("QLinearConv", {{"dilations", ints({1, 1})}}, inputs), "qlinear_conv_c4");
  EXPECT_EQ(check(8, i32({2}, {1, 2})), "qlinear_conv_c5");
}

// x is [1, 2, 3] with two channels last, or first.
std::vector<Tensor> two_channels(bool last) {
  return {last ? s8({1, 3, 2}, {1, 4, 2, 5, 3, 6}) : s8({1, 2, 3}, {1, 2, 3, 4, 5, 6}),
          f32(1),
          s8(1),
          s8({3, 2, 2}, {1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, -1}),
          f32(1),
          s8(0),
          f32(1),
          s8(5)};
}

Tensor microsoft_convolution(const AttributeList& attributes, const std::vector<Tensor>& inputs) {
  static const Parallel parallel(2);
  const Arithmetic arithmetic;
  return execute(*find_operator("com.microsoft", "QLinearConv"), 1, attributes_of(attributes), inputs, 1,
                 {arithmetic, parallel})[0];
}

TEST(MicrosoftQLinearConv, HasItsChannelsFirstOrLast) {
  const Tensor first = apply("QLinearConv", {}, two_channels(false));
  EXPECT_EQ(first.shape(), (Shape{1, 3, 2}));
  EXPECT_EQ(values<std::int8_t>(first), (SignedBytes{5, 6, 6, 7, 5, 7}));
  EXPECT_TRUE(microsoft_convolution({}, two_channels(false)).identical(first));
  const Tensor last = microsoft_convolution({{"channels_last", 1L}}, two_channels(true));
  EXPECT_EQ(last.shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(values<std::int8_t>(last), (SignedBytes{5, 6, 5, 6, 7, 7}));
}

TEST(MicrosoftQLinearConv, ChecksChannelsWhereTheyAre) {
  const Error error = failure_of([&] { microsoft_convolution({{"channels_last", 1L}}, two_channels(false)); });
  EXPECT_EQ(error.constraint(), "qlinear_conv_c2");
}

}  // namespace
}  // namespace octet
