#include "octet/spec/quantized/quantize_linear.h"

#include <cmath>
#include <limits>

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

Tensor half(Shape shape, const Floats& elements) { return convert(f32(std::move(shape), elements), DType::kFloat16); }
std::int64_t quantized_type(DType dtype) { return static_cast<std::int64_t>(dtype); }

TEST(QuantizeLinear, RoundsTiesToEvenThenAddsTheZeroPoint) {
  const Tensor x = f32({6}, {0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -2.5F});
  EXPECT_EQ(values<std::int8_t>(apply("QuantizeLinear", {}, {x, f32(1), s8(1)})), (SignedBytes{1, 3, 3, 1, -1, -1}));
}

TEST(QuantizeLinear, DividesAndDoesNotMultiplyByTheReciprocal) {
  // 21.66019 / 0.18592438 is exactly 116.5 in float32; times the reciprocal it lies above.
  EXPECT_EQ(quantize_linear(21.66019F, {0.18592438F, 0}, kInt8), 116);
}

TEST(QuantizeLinear, SaturatesInfinitiesAndTakesNaNToTheMinimum) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor x = f32({5}, {infinity, -infinity, std::nanf(""), 1e30F, -1e30F});
  EXPECT_EQ(values<std::uint8_t>(apply("QuantizeLinear", {}, {x, f32(0.5F), u8(7)})), (Bytes{255, 0, 0, 255, 0}));
  EXPECT_EQ(values<std::int8_t>(apply("QuantizeLinear", {}, {x, f32(0.5F), s8(-7)})),
            (SignedBytes{127, -128, -128, 127, -128}));
}

TEST(QuantizeLinear, FollowsTheDivisionForZeroAndNegativeScales) {
  const Tensor x = f32({3}, {2, -2, 0});
  EXPECT_EQ(values<std::uint8_t>(apply("QuantizeLinear", {}, {x, f32(0), u8(9)})), (Bytes{255, 0, 0}));
  EXPECT_EQ(values<std::uint8_t>(apply("QuantizeLinear", {}, {x, f32(-1), u8(9)})), (Bytes{7, 11, 9}));
}

TEST(QuantizeLinear, IsUint8WithoutAZeroPoint) {
  const Tensor y = apply("QuantizeLinear", {}, {f32({2}, {3, 300}), f32(1)});
  EXPECT_EQ(values<std::uint8_t>(y), (Bytes{3, 255}));
}

TEST(QuantizeLinear, WritesEveryIntegerTypeOfTheStandard) {
  const Tensor x = f32({2}, {1e9F, -1e9F});
  const std::vector<std::pair<DType, std::pair<std::int64_t, std::int64_t>>> wanted = {
      {DType::kUint16, {65535, 0}}, {DType::kInt16, {32767, -32768}}, {DType::kUint4, {15, 0}},
      {DType::kInt4, {7, -8}},      {DType::kUint2, {3, 0}},          {DType::kInt2, {1, -2}},
  };
  for (const auto& [dtype, ends] : wanted) {
    const Tensor y = apply("QuantizeLinear", {{"output_dtype", quantized_type(dtype)}}, {x, f32(1)});
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(y.int_at(0), ends.first) << name(dtype);
    EXPECT_EQ(y.int_at(1), ends.second) << name(dtype);
  }
}

TEST(QuantizeLinear, HasAScalePerIndexOfTheAxis) {
  const Tensor x = f32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor scale = f32({2}, {1, 0.5F}), zero = u8({2}, {0, 100});
  EXPECT_EQ(values<std::uint8_t>(apply("QuantizeLinear", {}, {x, scale, zero})),
            (Bytes{1, 2, 106, 108, 5, 6, 114, 116}));
  EXPECT_EQ(values<std::uint8_t>(apply("QuantizeLinear", {{"axis", -3L}}, {x, scale, zero})),
            (Bytes{1, 2, 3, 4, 110, 112, 114, 116}));
  EXPECT_EQ(values<std::uint8_t>(apply("QuantizeLinear", {{"axis", 2L}}, {x, scale, zero})),
            (Bytes{1, 104, 3, 108, 5, 112, 7, 116}));
}

TEST(QuantizeLinear, HasAScalePerBlock) {
  // Blocks of two along the axis of three: the last has one.
  const Tensor x = f32({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor scale = f32({2, 2}, {1, 0.5F, 0.25F, 0.125F}), zero = u8({2, 2}, {0, 10, 20, 30});
  EXPECT_EQ(values<std::uint8_t>(apply("QuantizeLinear", {{"axis", 0L}, {"block_size", 2L}}, {x, scale, zero})),
            (Bytes{1, 14, 3, 18, 40, 78}));
}

TEST(QuantizeLinear, WidensHalvesAndDividesInFloat32) {
  // 1725 / 17 = 101.47; in float16 that is 101.5, which would go to 102.
  const Tensor x = half({1}, {1725}), scale = half({}, {17});
  EXPECT_EQ(values<std::uint8_t>(apply("QuantizeLinear", {}, {x, scale})), (Bytes{101}));
  EXPECT_EQ(values<std::uint8_t>(apply("QuantizeLinear", {{"precision", quantized_type(DType::kFloat16)}}, {x, scale})),
            (Bytes{102}));
}

TEST(QuantizeLinear, RoundsToThePrecisionAskedFor) {
  const Tensor x = f32({1}, {3.4999F});
  EXPECT_EQ(values<std::uint8_t>(apply("QuantizeLinear", {}, {x, f32(1)})), (Bytes{3}));
  EXPECT_EQ(
      values<std::uint8_t>(apply("QuantizeLinear", {{"precision", quantized_type(DType::kBFloat16)}}, {x, f32(1)})),
      (Bytes{4}));
}

TEST(QuantizeLinear, DividesIntegersInFloat64) {
  // (2^24 + 1) / 2^25 lies above one half; 2^24 + 1 is not a float32.
  EXPECT_EQ(values<std::uint8_t>(apply("QuantizeLinear", {}, {i32({1}, {16777217}), f32(33554432.0F)})), (Bytes{1}));
}

TEST(QuantizeLinear, FollowsTheRoundingRule) {
  const std::vector<Tensor> inputs = {f32({4}, {0.5F, 1.7F, -0.5F, -1.7F}), f32(1), s8(1)};
  const auto quantize = [&](Rounding rounding) {
    return values<std::int8_t>(apply("QuantizeLinear", {}, inputs, {.rounding = rounding}));
  };
  EXPECT_EQ(quantize(Rounding::kTiesEven), (SignedBytes{1, 3, 1, -1}));
  EXPECT_EQ(quantize(Rounding::kTiesAway), (SignedBytes{2, 3, 0, -1}));
  EXPECT_EQ(quantize(Rounding::kTiesUp), (SignedBytes{2, 3, 1, -1}));
  EXPECT_EQ(quantize(Rounding::kTowardZero), (SignedBytes{1, 2, 1, 0}));
  EXPECT_EQ(quantize(Rounding::kFloor), (SignedBytes{1, 2, 0, -1}));
}

TEST(QuantizeLinear, AddsTheZeroPointAfterRoundingInEveryArithmetic) {
  const std::vector<Tensor> inputs = {f32({1}, {2.5F}), f32(1), s8(1)};
  EXPECT_EQ(apply("QuantizeLinear", {}, inputs, {.zero_point = ZeroPoint::kBeforeRounding}).int_at(0), 3);
}

TEST(QuantizeLinear, RoundsToFloat8) {
  const AttributeList attributes = {{"output_dtype", quantized_type(DType::kFloat8E4M3FN)}};
  EXPECT_EQ(text(inferred("QuantizeLinear", attributes,
                          {fact(DType::kFloat, SymbolicShape{2}), fact(DType::kFloat, SymbolicShape{})})),
            "float8e4m3fn[2]");
  const Tensor x = f32({5}, {2, 34, 1e9F, -1e9F, -0.0F});  // divided by 2: 1, 17 between 16 and 18, too large twice, -0
  EXPECT_TRUE(apply("QuantizeLinear", attributes, {x, f32(2)})
                  .identical(u8({5}, {0x38, 0x58, 0x7E, 0xFE, 0x80}).retyped(DType::kFloat8E4M3FN)));
  const AttributeList wild = {{"output_dtype", quantized_type(DType::kFloat8E4M3FN)}, {"saturate", 0L}};
  EXPECT_TRUE(apply("QuantizeLinear", wild, {x, f32(2)})
                  .identical(u8({5}, {0x38, 0x58, 0x7F, 0xFF, 0x80}).retyped(DType::kFloat8E4M3FN)));
  const Tensor zero_point = u8({}, {0x38}).retyped(DType::kFloat8E4M3FN);
  EXPECT_TRUE(apply("QuantizeLinear", {}, {x, f32(2), zero_point})
                  .identical(u8({5}, {0x40, 0x59, 0x7E, 0xFE, 0x38}).retyped(DType::kFloat8E4M3FN)));
}

TEST(QuantizeLinear, RoundsBlocksToFloat4UnderPowersOfTwo) {
  const Tensor powers = u8({1, 2}, {0x7E, 0x81}).retyped(DType::kFloat8E8M0);  // 1/2 and 4
  const AttributeList attributes = {
      {"axis", 1L}, {"block_size", 2L}, {"output_dtype", quantized_type(DType::kFloat4E2M1)}};
  // 2.5 between 2 and 3, -9 too large, 2.5 again, 0.25 between 0 and 1/2
  EXPECT_TRUE(apply("QuantizeLinear", attributes, {f32({1, 4}, {1.25F, -4.5F, 10, 1}), powers})
                  .identical(u8({1, 4}, {0x04, 0x0F, 0x04, 0x00}).retyped(DType::kFloat4E2M1)));
}

TEST(QuantizeLinear, RoundsTheQuotientToItsPrecisionBeforeFloat8) {
  const AttributeList attributes = {{"output_dtype", quantized_type(DType::kFloat8E4M3FN)},
                                    {"precision", quantized_type(DType::kBFloat16)}};
  // 1.0625 + 2^-13 is nearer to 1.125; bfloat16 makes a tie of it, which goes to 1
  const Tensor x = f32({1}, {1.0626220703125F});
  EXPECT_EQ(apply("QuantizeLinear", attributes, {x, f32(1)}).retyped(DType::kUint8).int_at(0), 0x38);
  EXPECT_EQ(apply("QuantizeLinear", {attributes[0]}, {x, f32(1)}).retyped(DType::kUint8).int_at(0), 0x39);
}

TEST(QuantizeLinear, InfersWithSymbols) {
  const Fact x = fact(DType::kFloat, SymbolicShape{Dim::symbol("N"), Dim()}), scale = fact(DType::kFloat, std::nullopt);
  EXPECT_EQ(text(inferred("QuantizeLinear", {}, {x, scale, fact(DType::kInt8, std::nullopt)})), "int8[N,?]");
  EXPECT_EQ(text(inferred("QuantizeLinear", {}, {fact(DType::kFloat, std::nullopt), scale})), "uint8 of any rank");
}

TEST(QuantizeLinear, ChecksItsConstraints) {
  const Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(refused("QuantizeLinear", {}, {u8(1), f32(1)}), "quantize_linear_c1");
  EXPECT_EQ(refused("QuantizeLinear", {}, {x, u8(1)}), "quantize_linear_c2");
  EXPECT_EQ(refused("QuantizeLinear", {}, {x, f32(1), i32({}, {0})}), "quantize_linear_c3");
  EXPECT_EQ(refused("QuantizeLinear", {{"output_dtype", quantized_type(DType::kInt8)}}, {x, f32(1), u8(0)}),
            "quantize_linear_c3");
  EXPECT_EQ(refused("QuantizeLinear", {}, {x, f32({2}, {1, 1})}), "quantize_linear_c4");
  EXPECT_EQ(refused("QuantizeLinear", {{"axis", 2L}}, {x, f32({3}, {1, 1, 1})}), "quantize_linear_c4");
  EXPECT_EQ(refused("QuantizeLinear", {}, {x, f32({3}, {1, 1, 1}), u8(0)}), "quantize_linear_c4");
  EXPECT_EQ(refused("QuantizeLinear", {{"block_size", 2L}}, {x, f32({2, 1}, {1, 1})}), "quantize_linear_c4");
  EXPECT_EQ(refused("QuantizeLinear", {{"block_size", -1L}}, {x, f32(1)}), "quantize_linear_c4");
  EXPECT_EQ(refused("QuantizeLinear", {{"precision", quantized_type(DType::kInt8)}}, {x, f32(1)}),
            "quantize_linear_c5");
  EXPECT_EQ(failure_of([&] {
              apply("QuantizeLinear", {{"output_dtype", 999L}}, {x, f32(1)});
            }).code(),
            ErrorCode::kModel);
}

}  // namespace
}  // namespace octet
