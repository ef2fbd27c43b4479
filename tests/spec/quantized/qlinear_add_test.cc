#include "octet/spec/quantized/qlinear_add.h"

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

// From a public question: the exact sum is -112.5000079, and ONNX Runtime says -112 where one would think -113.
std::int64_t puzzle(Shape shape, const Arithmetic& arithmetic = {}) {
  Tensor a(DType::kInt8, shape), b(DType::kInt8, shape);
  for (std::int8_t& element : a.mutable_as<std::int8_t>()) element = -114;
  for (std::int8_t& element : b.mutable_as<std::int8_t>()) element = -122;
  return apply("QLinearAdd", {},
               {a, f32(0.025346905F), s8(-106), b, f32(0.03580992F), s8(-120), f32(0.036585972F), s8(-105)}, arithmetic)
      .int_at(0);
}

TEST(QLinearAdd, AnswersThePuzzleAsOnnxRuntimeDoes) {
  EXPECT_EQ(puzzle({1}), -112);  // operands of one element are exchanged
  EXPECT_EQ(puzzle({}), -112);
  EXPECT_EQ(puzzle({2}), -113);
  EXPECT_EQ(puzzle({1, 3, 4, 4}), -113);
  EXPECT_EQ(puzzle({2}, {.add_order = AddOrder::kSse2}), -112);
  EXPECT_EQ(puzzle({1}, {.add_order = AddOrder::kPortable}), -113);
  EXPECT_EQ(puzzle({1}, {.add_order = AddOrder::kArm}), -113);
  EXPECT_EQ(puzzle({1}, {.product = Product::kFloat64}), -113);
}

TEST(QLinearAdd, AddsTheZeroPointBeforeRounding) {
  const auto sum = [](const Arithmetic& arithmetic) {
    return qlinear_add({0.5F, 0}, {1, 0}, {1, 1}, kInt8, arithmetic)(3, 1);  // 2.5, + 1
  };
  EXPECT_EQ(sum({}), 4);
  EXPECT_EQ(sum({.zero_point = ZeroPoint::kAfterRounding}), 3);
  EXPECT_EQ(sum({.rounding = Rounding::kTowardZero}), 3);
  EXPECT_EQ(sum({.add_order = AddOrder::kSse2}), 4);
  EXPECT_EQ(sum({.add_order = AddOrder::kPortable}), 4);
  EXPECT_EQ(sum({.add_order = AddOrder::kArm}), 4);  // 2.5 away to 3, + 1
  EXPECT_EQ(sum({.product = Product::kFloat64}), 4);
  EXPECT_EQ(sum({.rounding = Rounding::kTiesUp, .product = Product::kFixedSingle}), 4);
  EXPECT_EQ(sum({.product = Product::kFixedDouble}), 4);
}

TEST(QLinearAdd, RoundsTiesAwayInIntegersOnArm) {
  const auto sum = [](AddOrder order, int a, int zero_point) {
    return qlinear_add({0.5F, 0}, {1, 0}, {1, zero_point}, kInt8, {.add_order = order})(a, 0);
  };
  EXPECT_EQ(sum(AddOrder::kArm, 1, 0), 1);
  EXPECT_EQ(sum(AddOrder::kArm, -1, 0), -1);
  EXPECT_EQ(sum(AddOrder::kAvx2, 1, 0), 0);
  EXPECT_EQ(sum(AddOrder::kAvx2, -1, 0), 0);
  EXPECT_EQ(sum(AddOrder::kArm, -5, 1), -2);  // -2.5 away to -3, + 1
}

TEST(QLinearAdd, OnArmFallsBackToTheMainOrderForExtremeScales) {
  // A ratio of 512 has no multiplier: v = 512 * (a - zA), saturated.
  const auto sum = qlinear_add({512, 0}, {1, 0}, {1, 3}, kInt8, {.add_order = AddOrder::kArm});
  EXPECT_EQ(sum(1, 0), 127);
  EXPECT_EQ(sum(0, 4), 7);
}

// Scales that are powers of two are exact in every order: 2a + b/2 - (2 zA + zB/2), plus zC.
TEST(QLinearAdd, IsExactOnAllPairsOfBytes) {
  const Quantization a = {1, 17}, b = {0.25F, -3}, c = {0.5F, 5};
  for (const Arithmetic& arithmetic :
       {Arithmetic{}, Arithmetic{.add_order = AddOrder::kSse2}, Arithmetic{.add_order = AddOrder::kPortable},
        Arithmetic{.product = Product::kFloat64}}) {
    const auto add = qlinear_add(a, b, c, kInt8, arithmetic);
    int differing = 0;
    for (int x = -128; x < 128; ++x)
      for (int y = -128; y < 128; ++y) {
        const int halves = 4 * (x - 17) + (y + 3) + 2 * 5;  // twice the sum
        const int below = halves >= 0 ? halves / 2 : -((1 - halves) / 2);
        const int rounded = halves - 2 * below == 1 && below % 2 != 0 ? below + 1 : below;
        if (add(x, y) != std::clamp(rounded, -128, 127)) ++differing;
      }
    EXPECT_EQ(differing, 0);
  }
}

// A parameter set on which the exchange of A and B shows: -23 as they are, -24 exchanged (exact: -23.4999998).
std::int64_t exchanged(Shape a_shape, Shape b_shape) {
  Tensor a(DType::kInt8, std::move(a_shape)), b(DType::kInt8, std::move(b_shape));
  for (std::int8_t& element : a.mutable_as<std::int8_t>()) element = 44;
  for (std::int8_t& element : b.mutable_as<std::int8_t>()) element = -5;
  const Tensor c = apply("QLinearAdd", {},
                         {a, f32(0.037333064F), s8(-99), b, f32(0.014078119F), s8(105), f32(0.043815434F), s8(-110)});
  for (std::int64_t k = 1; k < c.size(); ++k) EXPECT_EQ(c.int_at(k), c.int_at(0));
  return c.int_at(0);
}

TEST(QLinearAdd, ExchangesOperandsAsOnnxRuntimesBroadcastingDoes) {
  EXPECT_EQ(exchanged({2}, {2}), -23);
  EXPECT_EQ(exchanged({3}, {1}), -23);
  EXPECT_EQ(exchanged({2, 2, 2}, {2, 1, 1}), -23);
  EXPECT_EQ(exchanged({3, 1}, {1, 1}), -23);
  EXPECT_EQ(exchanged({1}, {1}), -24);
  EXPECT_EQ(exchanged({}, {}), -24);
  EXPECT_EQ(exchanged({1}, {3}), -24);
  EXPECT_EQ(exchanged({2, 1, 1}, {2, 2, 2}), -24);
  EXPECT_EQ(exchanged({5, 1}, {1}), -24);
  EXPECT_EQ(exchanged({5, 1}, {}), -24);
  EXPECT_EQ(exchanged({1}, {5, 1}), -24);
}

TEST(QLinearAdd, ConvertsBeforeItSaturates) {
  const auto sum = [](const Arithmetic& arithmetic) {
    return qlinear_add({1, 0}, {1, 0}, {1e-10F, 0}, kUint8, arithmetic)(1, 1);
  };
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({.add_order = AddOrder::kPortable}), 255);
  EXPECT_EQ(sum({.zero_point = ZeroPoint::kBeforeRounding}), 255);
}

// TFLite's own numbers: scales 1/128, 1/64 and 1/32 with left shift 20, multipliers 2^30 and shifts.
TEST(QLinearAdd, SumsLikeTfliteInFixedPoint) {
  const auto add =
      qlinear_add({0.0078125F, 0}, {0.015625F, 0}, {0.03125F, 0}, kInt8, {.product = Product::kFixedDouble});
  EXPECT_EQ(add(4, 2), 2);       // 1 + 1
  EXPECT_EQ(add(1, 1), 1);       // 0.75
  EXPECT_EQ(add(2, 0), 1);       // 0.5 away
  EXPECT_EQ(add(-2, 0), -1);     // -0.5 away
  EXPECT_EQ(add(127, 127), 95);  // 31.75 + 63.5 = 95.25
}

TEST(QLinearAdd, InfersWithSymbols) {
  const Fact scale = fact(DType::kFloat, SymbolicShape{}), zero = fact(DType::kInt8, SymbolicShape{});
  const Fact a = fact(DType::kInt8, SymbolicShape{Dim::symbol("N"), 3}), b = fact(DType::kInt8, SymbolicShape{1, 3});
  EXPECT_EQ(text(inferred("QLinearAdd", {}, {a, scale, zero, b, scale, zero, scale, zero})), "int8[N,3]");
}

TEST(QLinearAdd, ChecksItsConstraints) {
  const std::vector<Tensor> inputs = {u8({2}, {1, 2}), f32(1), u8(0), u8({2}, {1, 2}), f32(1), u8(0), f32(1), u8(0)};
  EXPECT_EQ(refused("QLinearAdd", {}, inputs), "");
  EXPECT_EQ(refused("QLinearAdd", {}, with(inputs, 0, f32({2}, {1, 2}))), "qlinear_add_c1");
  EXPECT_EQ(refused("QLinearAdd", {}, with(inputs, 3, s8({2}, {1, 2}))), "qlinear_add_c1");
  EXPECT_EQ(refused("QLinearAdd", {}, with(inputs, 7, s8(1))), "qlinear_add_c1");
  EXPECT_EQ(refused("QLinearAdd", {}, with(inputs, 6, f32({2}, {1, 2}))), "qlinear_add_c2");
  EXPECT_EQ(refused("QLinearAdd", {}, with(inputs, 3, u8({3}, {1, 2, 3}))), "qlinear_add_c3");
}

}  // namespace
}  // namespace octet
