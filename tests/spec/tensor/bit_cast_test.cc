#include "tests/support/run_operator.h"

namespace octet {
namespace {

Tensor bit_cast_to(DType to, const Tensor& x) {
  return run_operator("BitCast", 26, {{"to", static_cast<std::int64_t>(to)}}, {x})[0];
}

TEST(BitCast, KeepsTheBits) {
  const Tensor ones = Tensor::from<float>({2}, {1.0F, -2.0F});
  EXPECT_EQ(values<std::uint32_t>(bit_cast_to(DType::kUint32, ones)),
            (std::vector<std::uint32_t>{0x3F800000U, 0xC0000000U}));
  EXPECT_EQ(values<float>(bit_cast_to(DType::kFloat, bit_cast_to(DType::kInt32, ones))), values<float>(ones));
  EXPECT_EQ(bit_cast_to(DType::kInt16, Tensor::from<Float16>({1}, {Float16{0xBC00}})).int_at(0), -17408);
}

TEST(BitCast, ExtendsTheSignOfNarrowIntegers) {
  const Tensor nibbles = Tensor::from<std::uint8_t>({2}, {7, 9}, DType::kUint4);
  EXPECT_EQ(values<std::int8_t>(bit_cast_to(DType::kInt4, nibbles)), (std::vector<std::int8_t>{7, -7}));
  EXPECT_EQ(bit_cast_to(DType::kUint4, bit_cast_to(DType::kInt4, nibbles)), nibbles);
}

TEST(BitCast, TakesEveryByteButZeroForTrue) {
  EXPECT_EQ(values<bool>(bit_cast_to(DType::kBool, Tensor::from<std::uint8_t>({3}, {0, 1, 200}))),
            (std::vector<bool>{false, true, true}));
}

TEST(BitCast, ChecksItsConstraints) {
  for (const std::int64_t to : {0L, 1000L, 7L, 8L})
    EXPECT_EQ(broken_constraint("BitCast", 26, {{"to", to}}, {Tensor(DType::kFloat, {1})}), "bit_cast_c1");
}

}  // namespace
}  // namespace octet
