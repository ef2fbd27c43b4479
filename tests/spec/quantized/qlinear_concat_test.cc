#include "octet/spec/quantized/qlinear_concat.h"

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

std::vector<Tensor> concat_inputs() {
  return {f32(1), u8(10), u8({2, 1}, {1, 2}), f32(1), u8(10), u8({2, 2}, {1, 2, 3, 4}), f32(0.5F), u8(0)};
}

TEST(QLinearConcat, CopiesOrRescalesEachInput) {
  const Tensor y = apply("QLinearConcat", {{"axis", 1L}}, concat_inputs());
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  EXPECT_EQ(values<std::uint8_t>(y), (Bytes{1, 10, 11, 2, 12, 12}));  // 0.5, 1, 1.5, 2 above 10
  EXPECT_EQ(
      values<std::uint8_t>(apply("QLinearConcat", {{"axis", -1L}}, concat_inputs(), {.rounding = Rounding::kTiesAway})),
      (Bytes{1, 11, 11, 2, 12, 12}));
}

TEST(QLinearConcat, RescalesEveryByteExactly) {
  // From a step of 1/2 at 0 to a step of 1 at 100: exact in float32.
  const Tensor y = apply("QLinearConcat", {{"axis", 0L}}, {f32(1), s8(100), every_s8(), f32(0.5F), s8(0)});
  for (int x = -128; x < 128; ++x) {
    const int halved = x % 2 == 0 ? x / 2 : ((x - 1) / 2) % 2 == 0 ? (x - 1) / 2 : (x + 1) / 2;
    EXPECT_EQ(y.int_at(x + 128), std::min(halved + 100, 127)) << x;
  }
}

TEST(QLinearConcat, TakesEmptyInputs) {
  std::vector<Tensor> with_empty = with(concat_inputs(), 2, Tensor(DType::kUint8, {2, 0}));
  EXPECT_EQ(values<std::uint8_t>(apply("QLinearConcat", {{"axis", 1L}}, with_empty)), (Bytes{10, 11, 12, 12}));
}

TEST(QLinearConcat, InfersWithSymbols) {
  const Fact scale = fact(DType::kFloat, SymbolicShape{}), zero = fact(DType::kUint8, SymbolicShape{});
  const Fact a = fact(DType::kUint8, SymbolicShape{Dim::symbol("N"), 3}),
             b = fact(DType::kUint8, SymbolicShape{Dim(), 4});
  EXPECT_EQ(text(inferred("QLinearConcat", {{"axis", 1L}}, {scale, zero, a, scale, zero, b, scale, zero})),
            "uint8[N,7]");
  EXPECT_EQ(text(inferred("QLinearConcat", {{"axis", 1L}},
                          {scale, zero, a, scale, zero, fact(DType::kUint8, std::nullopt), scale, zero})),
            "uint8 of any rank");
}

TEST(QLinearConcat, ChecksItsConstraints) {
  const AttributeList axis = {{"axis", 1L}};
  EXPECT_EQ(refused("QLinearConcat", axis, with(concat_inputs(), 2, s8({2, 1}, {1, 2}))), "qlinear_concat_c1");
  EXPECT_EQ(refused("QLinearConcat", axis, with(concat_inputs(), 3, u8(1))), "qlinear_concat_c1");
  EXPECT_EQ(refused("QLinearConcat", axis, {f32(1), u8(0), u8({1, 1}, {1}), f32(1)}), "qlinear_concat_c1");
  EXPECT_EQ(refused("QLinearConcat", axis, with(concat_inputs(), 0, f32({2}, {1, 1}))), "qlinear_concat_c2");
  EXPECT_EQ(refused("QLinearConcat", axis, with(concat_inputs(), 4, u8({2}, {1, 1}))), "qlinear_concat_c2");
  EXPECT_EQ(refused("QLinearConcat", {}, concat_inputs()), "qlinear_concat_c3");
  EXPECT_EQ(refused("QLinearConcat", {{"axis", 2L}}, concat_inputs()), "qlinear_concat_c3");
  EXPECT_EQ(refused("QLinearConcat", {{"axis", 0L}}, concat_inputs()), "qlinear_concat_c3");
}

}  // namespace
}  // namespace octet
