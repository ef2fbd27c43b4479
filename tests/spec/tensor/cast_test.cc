// Cast, CastLike and Identity.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

Tensor cast(const Tensor& x, DType to) {
  return run_operator("Cast", 25, {{"to", static_cast<std::int64_t>(to)}}, {x})[0];
}

// Values of ONNX Runtime on x86.
TEST(Cast, ConvertsFloatToIntegerAsX86Does) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor x = Tensor::from<float>({6}, {300.7F, -1.5F, 3e9F, 1e20F, infinity, 70000});
  using Ints = std::vector<std::int64_t>;
  EXPECT_EQ(cast(x, DType::kInt8).to_ints(), (Ints{44, -1, 0, 0, 0, 112}));
  EXPECT_EQ(cast(x, DType::kUint8).to_ints(), (Ints{44, 255, 0, 0, 0, 112}));
  EXPECT_EQ(cast(x, DType::kInt32).to_ints(), (Ints{300, -1, INT32_MIN, INT32_MIN, INT32_MIN, 70000}));
  EXPECT_EQ(cast(x, DType::kInt64).to_ints(), (Ints{300, -1, 3000000000, INT64_MIN, INT64_MIN, 70000}));
}

TEST(Cast, ConvertsToBoolByNotBeingZero) {
  const Tensor x = Tensor::from<float>({4}, {0, -0.0F, 0.5F, std::numeric_limits<float>::quiet_NaN()});
  EXPECT_EQ(cast(x, DType::kBool).to_ints(), (std::vector<std::int64_t>{0, 0, 1, 1}));
  EXPECT_EQ(values<float>(cast(Tensor::from<bool>({2}, {true, false}), DType::kFloat)), (std::vector<float>{1, 0}));
}

TEST(Cast, RoundsHalvesToEven) {
  const Tensor x = Tensor::from<float>({3}, {2049, 2051, 70000});
  EXPECT_EQ(cast(x, DType::kFloat16).number_at(0), 2048);
  EXPECT_EQ(cast(x, DType::kFloat16).number_at(1), 2052);
  EXPECT_EQ(cast(x, DType::kFloat16).number_at(2), std::numeric_limits<double>::infinity());
  EXPECT_EQ(cast(Tensor::from<float>({1}, {257}), DType::kBFloat16).number_at(0), 256);
  EXPECT_EQ(cast(cast(x, DType::kFloat16), DType::kDouble).number_at(1), 2052);
}

TEST(Cast, KeepsTheLowBitsOfIntegers) {
  const Tensor x = Tensor::from<std::int32_t>({3}, {-1, 18, 260});
  EXPECT_EQ(cast(x, DType::kUint8).to_ints(), (std::vector<std::int64_t>{255, 18, 4}));
  EXPECT_EQ(cast(x, DType::kInt4).to_ints(), (std::vector<std::int64_t>{-1, 2, 4}));
  EXPECT_EQ(cast(cast(x, DType::kUint4), DType::kFloat).number_at(0), 15);
}

TEST(Cast, CarriesDimensionsBetweenInt32AndInt64) {
  Fact x = fact(DType::kInt64, SymbolicShape{2});
  x.elements = std::vector<Dim>{Dim::symbol("N"), INT64_MAX};
  EXPECT_EQ(infer_operator("Cast", 13, {{"to", 6L}}, {x}).elements, (std::vector<Dim>{Dim::symbol("N"), Dim()}));
  EXPECT_EQ(infer_operator("Cast", 13, {{"to", 1L}}, {x}).elements, std::nullopt);
}

TEST(Cast, RefusesWhatItDoesNotConvert) {
  EXPECT_EQ(broken_constraint("Cast", 13, {{"to", 0L}}, {Tensor(DType::kFloat, {1})}), "cast_c1");
  EXPECT_EQ(broken_constraint("Cast", 13, {{"to", 27L}}, {Tensor(DType::kFloat, {1})}), "cast_c1");
  for (DType dtype : {DType::kString, DType::kComplex64}) {
    EXPECT_EQ(failure_of([&] { cast(Tensor(DType::kFloat, {1}), dtype); }).code(), ErrorCode::kUnsupported);
    EXPECT_EQ(failure_of([&] { cast(Tensor(dtype, {1}), DType::kFloat); }).code(), ErrorCode::kUnsupported);
  }
}

TEST(Cast, RoundsToFloat8ByItsAttributes) {
  const Tensor x = Tensor::from<float>({5}, {1e9F, -1e9F, 17, 19, -0.0F});
  const auto codes = [&](AttributeList attributes) {
    attributes.emplace_back("to", static_cast<std::int64_t>(DType::kFloat8E4M3FN));
    return run_operator("Cast", 19, attributes, {x})[0].retyped(DType::kUint8).to_ints();
  };
  EXPECT_EQ(codes({}), (std::vector<std::int64_t>{0x7E, 0xFE, 0x58, 0x5A, 0x80}));  // 17 lies between 16 and 18
  EXPECT_EQ(codes({{"saturate", 0L}}), (std::vector<std::int64_t>{0x7F, 0xFF, 0x58, 0x5A, 0x80}));
}

TEST(Cast, RoundsToPowersOfTwoByItsMode) {
  const Tensor x = Tensor::from<float>({3}, {2.5F, 3, 0});
  const auto codes = [&](const std::string& mode) {
    const AttributeList attributes = {{"to", static_cast<std::int64_t>(DType::kFloat8E8M0)}, {"round_mode", mode}};
    return run_operator("Cast", 24, attributes, {x})[0].retyped(DType::kUint8).to_ints();
  };
  EXPECT_EQ(codes("up"), (std::vector<std::int64_t>{129, 129, 0}));
  EXPECT_EQ(codes("down"), (std::vector<std::int64_t>{128, 128, 0}));
  EXPECT_EQ(codes("nearest"), (std::vector<std::int64_t>{128, 129, 0}));
  EXPECT_EQ(broken_constraint("Cast", 24, {{"to", 24L}, {"round_mode", std::string("off")}}, {x}), "cast_c2");
}

TEST(Cast, WidensFloat8AndFloat4) {
  const Tensor e5m2 = Tensor::from<std::uint8_t>({3}, {0x3C, 0x7C, 0x80}, DType::kFloat8E5M2);
  EXPECT_TRUE(cast(e5m2, DType::kFloat)
                  .identical(Tensor::from<float>({3}, {1, std::numeric_limits<float>::infinity(), -0.0F})));
  const Tensor e2m1 = Tensor::from<std::uint8_t>({3}, {0x07, 0x0B, 0x01}, DType::kFloat4E2M1);
  EXPECT_TRUE(cast(e2m1, DType::kFloat).identical(Tensor::from<float>({3}, {6, -1.5F, 0.5F})));
  EXPECT_EQ(cast(e2m1, DType::kInt8).to_ints(), (std::vector<std::int64_t>{6, -1, 0}));
  EXPECT_EQ(cast(e2m1, DType::kFloat8E4M3FN).retyped(DType::kUint8).to_ints(),
            (std::vector<std::int64_t>{0x4C, 0xBC, 0x30}));
}

TEST(CastLike, TakesTheTypeOfItsSecondInput) {
  const Tensor y = run_operator("CastLike", 15, {}, {Tensor::from<float>({1}, {2.5F}), Tensor(DType::kInt16, {0})})[0];
  EXPECT_EQ(y.dtype(), DType::kInt16);
  EXPECT_EQ(y.int_at(0), 2);
}

TEST(Identity, SharesItsInput) {
  const Tensor x = Tensor::from_strings({2}, {"a", "b"});
  EXPECT_TRUE(run_operator("Identity", 16, {}, {x})[0].identical(x));
}

}  // namespace
}  // namespace octet
