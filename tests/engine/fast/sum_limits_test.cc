// Sums at the limits of what kernels are chosen by: proofs that just hold, and that just do not.
#include <cmath>
#include <limits>
#include <random>
#include <span>

#include "tests/engine/fast/sum_case.h"

namespace octet {
namespace {

// x and w multiplied as they are: no zero points.
SumCase plain_sums(const std::string& node, const Shape& x_shape, const Tensor& w) {
  SumCase made = sum_case("main (x) => (y) { y = " + node + " (x, w) }", {value("x", DType::kUint8, symbolic(x_shape))},
                          {{"w", w}});
  for (const Tensor& x : extremes(DType::kUint8, x_shape)) made.inputs.push_back({{"x", x}});
  return made;
}

// The same with a bias, requantized by a multiplier.
SumCase biased_sums(const std::string& attributes, const Shape& x_shape, const Tensor& w, const Tensor& bias,
                    float multiplier, DType y) {
  return sum_case("main (x) => (y) { y = QLinearConv <" + attributes + "> (x, one, xz, w, by, wz, one, yz, b) }",
                  {value("x", DType::kUint8, symbolic(x_shape))},
                  {{"one", f(1)},
                   {"xz", Tensor(DType::kUint8, {})},
                   {"w", w},
                   {"by", f(multiplier)},
                   {"wz", Tensor(DType::kInt8, {})},
                   {"yz", Tensor(y, {})},
                   {"b", bias}});
}

TEST(FastSums, TakeSmallerTilesWhereTheyCouldReach25Bits) {
  constexpr std::int64_t kInputs = 116, kChannels = 8, kProducts = kInputs * 9;
  constexpr std::int64_t kMost = ((std::int64_t{1} << 25) - 1) / 255;  // of the absolute weights of a channel
  for (const std::int64_t reach : {kMost, kMost + 1}) {
    Tensor w(DType::kInt8, {kChannels, kInputs, 3, 3});
    const std::span<std::int8_t> weights = w.mutable_as<std::int8_t>();
    for (std::int64_t k = 0; k < w.size(); ++k) {
      const std::int64_t channel = k / kProducts,
                         size = reach / kProducts + (k % kProducts < reach % kProducts ? 1 : 0);
      weights[static_cast<std::size_t>(k)] = static_cast<std::int8_t>(channel % 2 == 0 ? size : -size);
    }
    Kernels kernels;
    expect_the_reference(plain_sums("ConvInteger", {1, kInputs, 6, 6}, w), kernels);
    for (const fast::Simd& target : fast::simd_targets())
      if (!target.products.quads) {
        const std::string kernel = reach == kMost ? "Winograd F(4x4)" : "Winograd F(2x2)";
        EXPECT_EQ(kernels[target.name], std::set{kernel + ", pairs of int16"}) << target.name;
      }
  }
}

TEST(FastSums, TakeSmallerTilesOfStride2WhereTheyCouldReach29Bits) {
  constexpr std::int64_t kChannels = 8, kProducts = kChannels * 9;
  const Shape x_shape = {1, kChannels, 16, 18};
  for (const std::int32_t sign : {1, -1})
    for (const std::int32_t reach : {(1 << 29) - 1, 1 << 29}) {
      Tensor w(DType::kInt8, {kChannels, kChannels, 3, 3}), bias(DType::kInt32, {kChannels});
      std::ranges::fill(w.mutable_as<std::int8_t>(), static_cast<std::int8_t>(sign));
      std::ranges::fill(bias.mutable_as<std::int32_t>(), sign * (reach - 255 * std::int32_t{kProducts}));
      SumCase made = biased_sums("kernel_shape: ints = [3, 3], strides: ints = [2, 2], pads: ints = [1, 1, 1, 1]",
                                 x_shape, w, bias, 0x1p-23F, DType::kInt8);
      for (const Tensor& x : extremes(DType::kUint8, x_shape)) made.inputs.push_back({{"x", x}});
      Kernels kernels;
      expect_the_reference(made, kernels);
      for (const fast::Simd& target : fast::simd_targets())
        if (!target.products.quads) {
          const std::string kernel = reach < 1 << 29 ? "polyphase F(4x4)" : "polyphase F(2x2)";
          EXPECT_EQ(kernels[target.name], std::set{kernel + ", pairs of int16"}) << target.name;
        }
    }
}

// Accumulators around ties, below and above 2^24 / 9: where they are divided by 9 in float, and where they are not.
TEST(FastSums, RoundTiesWhereANinthIsTakenInFloatAndWhereNot) {
  constexpr std::int64_t kChannels = 8;
  const Shape x_shape = {1, kChannels, 16, 16};
  Tensor x(DType::kUint8, x_shape);
  for (std::int64_t k = 0; k < x.size(); ++k)
    x.mutable_bytes()[static_cast<std::size_t>(k)] = static_cast<std::byte>(k);
  for (const std::int32_t stride : {1, 2})
    for (const std::int32_t whole : {3, 112, 113, 114, 126}) {
      Tensor w(DType::kInt8, {kChannels, kChannels, 3, 3}), bias(DType::kInt32, {kChannels});
      for (std::int64_t m = 0; m < kChannels; ++m)  // one weight of each channel: acc = bias + x or bias - x
        w.mutable_as<std::int8_t>()[static_cast<std::size_t>((m * kChannels + m) * 9 + 4)] = m % 2 == 0 ? 1 : -1;
      for (std::int64_t m = 0; m < kChannels; ++m)
        bias.mutable_as<std::int32_t>()[static_cast<std::size_t>(m)] =
            (m % 2 == 0 ? 1 : -1) * (whole * (1 << 14) + (1 << 13) - 128);
      SumCase made = biased_sums(
          fmt::format("kernel_shape: ints = [3, 3], strides: ints = [{0}, {0}], pads: ints = [1, 1, 1, 1]", stride),
          x_shape, w, bias, 0x1p-14F, DType::kInt8);
      made.inputs.push_back({{"x", x}});
      Kernels kernels;
      expect_the_reference(made, kernels);
    }
}

// Of 4 bytes, two neighbours are one lane, and which of these quads are added up is free: any two of 64 are just safe, one of
// 65 has no partner, and one of 129 is too much alone.
TEST(FastSums, StayInInt16WhereFourWeightsReach129) {
  constexpr std::int64_t kDepth = 64, kColumns = 40, kLane = 2, kLanes = kDepth / kLane, kOdd = 11;
  std::mt19937 random(1);
  for (const int odd : {64, 65, 128, 129, 254})
    for (const int sign : {1, -1}) {
      Tensor w(DType::kInt8, {kDepth, kColumns});
      const std::span<std::int8_t> weights = w.mutable_as<std::int8_t>();
      for (std::int64_t lane = 0; lane < kLanes; ++lane)
        for (std::int64_t column = 0; column < kColumns; ++column) {
          const int sum = lane == kOdd ? odd : 64, least = std::max(sum - 127, 0);
          const int first = least + static_cast<int>(random() % static_cast<unsigned>(sum - 2 * least + 1));
          std::int8_t* const at = &weights[static_cast<std::size_t>(lane * kLane * kColumns + column)];
          at[0] = static_cast<std::int8_t>(sign * first);
          at[kColumns] = static_cast<std::int8_t>(sign * (sum - first));
        }
      Kernels kernels;
      expect_the_reference(plain_sums("MatMulInteger", {3, kDepth}, w), kernels);
      for (const fast::Simd& target : fast::simd_targets()) {
        const bool by_proof = !target.products.quads && target.products.safe_quads;
        EXPECT_EQ(kernels[target.name].contains("bytes, safe in int16"), by_proof) << target.name;
      }
    }
}

// Accumulators near the ends of int32, by multipliers that keep them there or do not.
TEST(FastSums, AreRequantizedByMultipliersOf1AndMore) {
  struct Case {
    std::int64_t kernel, stride, group;
  };
  for (const auto [kernel, stride, group] : {Case{1, 1, 1}, Case{3, 2, 1}, Case{3, 1, 16}, Case{3, 2, 16}})
    for (const float multiplier : {0x1.fffffep-1F, 1.0F, 2.0F, 0x1p40F}) {
      constexpr std::int64_t kChannels = 16;
      Tensor w(DType::kInt8, {kChannels, kChannels / group, kernel, kernel}), bias(DType::kInt32, {kChannels});
      std::ranges::fill(w.mutable_as<std::int8_t>(), std::int8_t{1});
      for (std::int64_t m = 0; m < kChannels; ++m)
        bias.mutable_as<std::int32_t>()[static_cast<std::size_t>(m)] =
            m % 4 == 0   ? std::numeric_limits<std::int32_t>::max() - 30'000
            : m % 4 == 1 ? std::numeric_limits<std::int32_t>::min() + 30'000
                         : static_cast<std::int32_t>(m - 40);
      const Shape x_shape = {1, kChannels, 9, 11};
      SumCase made =
          biased_sums(fmt::format("kernel_shape: ints = [{0}, {0}], strides: ints = [{1}, {1}], group: int = {2}",
                                  kernel, stride, group),
                      x_shape, w, bias, multiplier, DType::kUint8);
      for (const Tensor& x : extremes(DType::kUint8, x_shape)) made.inputs.push_back({{"x", x}});
      Kernels kernels;
      expect_the_reference(made, kernels);
    }
}

// Each row in memory of its own, which the sanitizers guard: of pixels whose channels do not fill vectors, too.
TEST(FastSums, TransformNothingBehindARow) {
  constexpr std::int64_t kColumns = 7;
  for (const fast::Simd& target : fast::simd_targets())
    for (const fast::Transform* transform : {&target.transforms.winograd4, &target.transforms.winograd2,
                                             &target.transforms.polyphase4, &target.transforms.polyphase2})
      for (const std::int64_t channels : {8, 16, 17, 33}) {
        const std::int64_t to = target.transforms.padded_to, padded = (channels + to - 1) / to * to;
        const std::vector<std::vector<std::uint8_t>> image(
            fast::kMostInputs, std::vector<std::uint8_t>(static_cast<std::size_t>(kColumns * channels), 9));
        std::vector<const std::uint8_t*> rows;
        for (const std::vector<std::uint8_t>& row : image) rows.push_back(row.data());
        std::vector<std::int16_t> lines(static_cast<std::size_t>(transform->line_bytes(1, padded) / 2));
        std::vector<std::int16_t> y(static_cast<std::size_t>(transform->elements * padded));
        transform->input({.rows = rows.data(), .columns = kColumns, .channels = channels, .first = -1, .zero_point = 9},
                         1, lines.data(), y.data());
        for (std::int64_t e = 0; e < transform->elements; ++e)  // x is the zero point everywhere
          for (std::int64_t c = 0; c < channels; ++c)
            ASSERT_EQ(y[static_cast<std::size_t>(e * padded + c)], 0) << target.name << ", " << transform->name;
      }
}

}  // namespace
}  // namespace octet
