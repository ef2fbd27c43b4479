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
  for (DType dtype : {DType::kString, DType::kFloat8E4M3FN, DType::kFloat4E2M1, DType::kComplex64}) {
    EXPECT_EQ(failure_of([&] { cast(Tensor(DType::kFloat, {1}), dtype); }).code(), ErrorCode::kUnsupported);
    EXPECT_EQ(failure_of([&] { cast(Tensor(dtype, {1}), DType::kFloat); }).code(), ErrorCode::kUnsupported);
  }
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
