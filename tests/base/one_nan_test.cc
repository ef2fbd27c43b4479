#include "octet/base/one_nan.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace octet {
namespace {

// `bits` as elements of the type; what becomes of them.
template <typename Bits>
std::vector<Bits> unified(DType dtype, std::vector<Bits> bits) {
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(bits));
  Tensor tensor(dtype, {static_cast<std::int64_t>(bits.size())});
  std::ranges::copy(bytes, tensor.mutable_bytes().begin());
  unify_nans(dtype, bytes);
  EXPECT_TRUE(std::ranges::equal(with_one_nan(tensor).bytes(), bytes));
  return bits;
}

TEST(OneNan, StandsForAllOthers) {
  EXPECT_EQ(unified<std::uint32_t>(DType::kFloat, {0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFE0000}),
            std::vector<std::uint32_t>(4, 0x7FC00000));
  EXPECT_EQ(unified<std::uint64_t>(DType::kDouble, {1 | 0x7FFULL << 52, ~0ULL, 0x7FF8ULL << 48}),
            std::vector<std::uint64_t>(3, 0x7FF8ULL << 48));
  EXPECT_EQ(unified<std::uint16_t>(DType::kFloat16, {0x7C01, 0xFE00, 0x7E00}), std::vector<std::uint16_t>(3, 0x7E00));
  EXPECT_EQ(unified<std::uint16_t>(DType::kBFloat16, {0x7F81, 0xFFC0, 0x7FC0}), std::vector<std::uint16_t>(3, 0x7FC0));
}

TEST(OneNan, LeavesNumbersAlone) {
  const std::vector<std::uint32_t> singles = {0, 0x80000000, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 1};
  EXPECT_EQ(unified(DType::kFloat, singles), singles);
  const std::vector<std::uint16_t> halves = {0x7C00, 0xFC00, 0x7BFF, 0x8000};
  EXPECT_EQ(unified(DType::kFloat16, halves), halves);
  const std::vector<std::uint16_t> brain_halves = {0x7F80, 0xFF80, 0x7E00, 0x7C01};
  EXPECT_EQ(unified(DType::kBFloat16, brain_halves), brain_halves);
  const std::vector<std::uint32_t> integers = {0xFFFFFFFF, 0x7FC00001};
  EXPECT_EQ(unified(DType::kInt32, integers), integers);
}

TEST(OneNan, CopiesOnlyWhatItChanges) {
  const Tensor numbers = Tensor::from<float>({2}, {1, std::numeric_limits<float>::quiet_NaN()});
  EXPECT_EQ(with_one_nan(numbers).bytes().data(), numbers.bytes().data());
  const Tensor other = Tensor::from<float>({2}, {1, -std::numeric_limits<float>::quiet_NaN()});
  EXPECT_EQ(std::bit_cast<std::uint32_t>(with_one_nan(other).as<float>()[1]), 0x7FC00000U);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(other.as<float>()[1]), 0xFFC00000U);
}

}  // namespace
}  // namespace octet
