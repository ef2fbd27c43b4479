#include "octet/spec/quantized/dequantize_linear.h"

#include "tests/spec/quantized/apply.h"

namespace octet {
namespace {

std::int64_t dequantized_type(DType dtype) { return static_cast<std::int64_t>(dtype); }

TEST(DequantizeLinear, SubtractsThenMultipliesForEveryByte) {
  const Tensor y = apply("DequantizeLinear", {}, {every_u8(), f32(0.1F), u8(3)});
  for (int x = 0; x < 256; ++x) EXPECT_EQ(y.as<float>()[static_cast<std::size_t>(x)], static_cast<float>(x - 3) * 0.1F);
}

TEST(DequantizeLinear, TakesEveryIntegerTypeOfTheStandard) {
  const auto first = [](const Tensor& x) { return apply("DequantizeLinear", {}, {x, f32(2)}).as<float>()[0]; };
  EXPECT_EQ(first(s8(-128)), -256.0F);
  EXPECT_EQ(first(Tensor::scalar<std::int16_t>(-32768)), -65536.0F);
  EXPECT_EQ(first(Tensor::scalar<std::uint16_t>(65535)), 131070.0F);
  EXPECT_EQ(first(Tensor::scalar<std::int8_t>(-8, DType::kInt4)), -16.0F);
  EXPECT_EQ(first(Tensor::scalar<std::uint8_t>(15, DType::kUint4)), 30.0F);
  EXPECT_EQ(first(Tensor::scalar<std::int8_t>(-2, DType::kInt2)), -4.0F);
  EXPECT_EQ(first(Tensor::scalar<std::uint8_t>(3, DType::kUint2)), 6.0F);
}

TEST(DequantizeLinear, RoundsIntegersAbove24Bits) {
  EXPECT_EQ(apply("DequantizeLinear", {}, {i32({}, {16777217}), f32(1)}).as<float>()[0], 16777216.0F);
  EXPECT_EQ(apply("DequantizeLinear", {}, {i32({}, {16777217}), f32(1), i32({}, {1})}).as<float>()[0], 16777216.0F);
  EXPECT_EQ(apply("DequantizeLinear", {}, {i32({}, {16777218}), f32(1), i32({}, {-1})}).as<float>()[0], 16777220.0F);
}

TEST(DequantizeLinear, HasAScalePerIndexOfTheAxisOrPerBlock) {
  const Tensor x = s8({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(values<float>(apply("DequantizeLinear", {}, {x, f32({3}, {1, 10, 100}), s8({3}, {0, 1, 2})})),
            (Floats{1, 10, 100, 4, 40, 400}));
  EXPECT_EQ(values<float>(apply("DequantizeLinear", {{"block_size", 2L}},
                                {x, f32({2, 2}, {1, 10, 100, 1000}), s8({2, 2}, {0, 1, 2, 3})})),
            (Floats{1, 2, 20, 200, 300, 3000}));
}

TEST(DequantizeLinear, RoundsTheProductOnceToItsOwnType) {
  const Tensor scale = convert(f32(0.1F), DType::kFloat16);
  const Tensor y = apply("DequantizeLinear", {}, {s8(77), scale});
  EXPECT_EQ(y.dtype(), DType::kFloat16);
  EXPECT_EQ(y.number_at(0), to_float(to_float16(77 * to_float(to_float16(0.1F)))));
  EXPECT_EQ(y.number_at(0), 7.69921875);
  const Tensor b =
      apply("DequantizeLinear", {{"output_dtype", dequantized_type(DType::kBFloat16)}}, {s8(77), f32(0.1F)});
  EXPECT_EQ(b.dtype(), DType::kBFloat16);
  EXPECT_EQ(b.number_at(0), 7.6875);  // 7.7000003 to 8 bits
}

TEST(DequantizeLinear, ScalesFloat8) {
  const Fact x = fact(DType::kFloat8E5M2, SymbolicShape{3}), scale = fact(DType::kFloat16, SymbolicShape{});
  EXPECT_EQ(text(inferred("DequantizeLinear", {}, {x, scale})), "float16[3]");
  const Tensor codes = u8({4}, {0x3C, 0xBD, 0x7C, 0x80}).retyped(DType::kFloat8E5M2);  // 1, -1.25, infinity, -0
  EXPECT_TRUE(apply("DequantizeLinear", {}, {codes, f32(3)})
                  .identical(f32({4}, {3, -3.75F, std::numeric_limits<float>::infinity(), -0.0F})));
  const Tensor one = u8({}, {0x3C}).retyped(DType::kFloat8E5M2);
  EXPECT_EQ(apply("DequantizeLinear", {}, {codes, f32(3), one}).number_at(1), -6.75);
}

TEST(DequantizeLinear, ScalesBlocksByPowersOfTwo) {
  const Tensor codes = u8({1, 4}, {0x02, 0x0F, 0x02, 0x0F}).retyped(DType::kFloat4E2M1);  // 1, -6, 1, -6
  const Tensor powers = u8({1, 2}, {0x7E, 0x81}).retyped(DType::kFloat8E8M0);             // 1/2 and 4
  const AttributeList attributes = {
      {"axis", 1L}, {"block_size", 2L}, {"output_dtype", dequantized_type(DType::kFloat)}};
  EXPECT_TRUE(apply("DequantizeLinear", attributes, {codes, powers}).identical(f32({1, 4}, {0.5F, -3, 4, -24})));
  EXPECT_EQ(refused("DequantizeLinear", {{"axis", 1L}, {"block_size", 2L}}, {codes, powers}), "dequantize_linear_c5");
}

TEST(DequantizeLinear, ChecksItsConstraints) {
  EXPECT_EQ(refused("DequantizeLinear", {}, {f32(1), f32(1)}), "dequantize_linear_c1");
  EXPECT_EQ(refused("DequantizeLinear", {}, {u8(1), i32({}, {1})}), "dequantize_linear_c2");
  EXPECT_EQ(refused("DequantizeLinear", {}, {u8(1), f32(1), s8(0)}), "dequantize_linear_c3");
  EXPECT_EQ(refused("DequantizeLinear", {}, {u8({1, 2}, {1, 2}), f32({3}, {1, 1, 1})}), "dequantize_linear_c4");
  EXPECT_EQ(refused("DequantizeLinear", {{"output_dtype", dequantized_type(DType::kInt8)}}, {u8(1), f32(1)}),
            "dequantize_linear_c5");
}

}  // namespace
}  // namespace octet
