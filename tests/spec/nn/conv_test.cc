#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <span>

#include "tests/support/run_operator.h"

namespace octet {
namespace {

using Floats = std::vector<float>;

TEST(Conv, SumsTheProductsUnderTheWindow) {
  // 3x3 ones over 0..24 in 5x5: each output is 9 times its centre.
  const Tensor x = counting<float>({1, 1, 5, 5}), w = Tensor::from<float>({1, 1, 3, 3}, Floats(9, 1.0F));
  const Tensor y = run_operator("Conv", 11, {}, {x, w})[0];
  EXPECT_EQ(y.shape(), (Shape{1, 1, 3, 3}));
  EXPECT_EQ(values<float>(y), (Floats{54, 63, 72, 99, 108, 117, 144, 153, 162}));
}

TEST(Conv, PadsWithZeroAndStepsByTheStride) {
  const Tensor x = counting<float>({1, 1, 5, 5}), w = Tensor::from<float>({1, 1, 3, 3}, Floats(9, 1.0F));
  const Tensor y = run_operator("Conv", 22, {{"pads", ints({1, 1, 1, 1})}, {"strides", ints({2, 2})}}, {x, w})[0];
  EXPECT_EQ(values<float>(y), (Floats{12, 27, 24, 63, 108, 81, 72, 117, 84}));
}

TEST(Conv, AddsTheBiasOfTheOutputChannel) {
  const Tensor x = Tensor::from<float>({1, 1, 2}, {3, 4}), w = Tensor::from<float>({2, 1, 1}, {10, 100}),
               b = Tensor::from<float>({2}, {1, 2});
  EXPECT_EQ(values<float>(run_operator("Conv", 1, {}, {x, w, b})[0]), (Floats{31, 41, 302, 402}));
}

TEST(Conv, KeepsGroupsApart) {
  const Tensor x = Tensor::from<float>({1, 4, 1}, {1, 2, 3, 4}), w = Tensor::from<float>({2, 2, 1}, {1, 10, 100, 1000});
  EXPECT_EQ(values<float>(run_operator("Conv", 11, {{"group", 2L}}, {x, w})[0]), (Floats{21, 4300}));
}

TEST(Conv, DilationsSpreadTheTaps) {
  const Tensor x = counting<float>({1, 1, 6}), w = Tensor::from<float>({1, 1, 2}, {1, 10});
  EXPECT_EQ(values<float>(run_operator("Conv", 11, {{"dilations", ints({3})}}, {x, w})[0]), (Floats{30, 41, 52}));
}

TEST(Conv, SamePaddingGoesWhereItsNameSays) {
  const Tensor x = Tensor::from<float>({1, 1, 3}, {1, 2, 3}), w = Tensor::from<float>({1, 1, 2}, {1, 10});
  EXPECT_EQ(values<float>(run_operator("Conv", 11, {{"auto_pad", "SAME_UPPER"}}, {x, w})[0]), (Floats{21, 32, 3}));
  EXPECT_EQ(values<float>(run_operator("Conv", 11, {{"auto_pad", "SAME_LOWER"}}, {x, w})[0]), (Floats{10, 21, 32}));
}

TEST(Conv, WorksInThreeDimensionsAndDouble) {
  const Tensor x = counting<double>({1, 1, 2, 2, 2}),
               w = Tensor::from<double>({1, 1, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(values<double>(run_operator("Conv", 11, {}, {x, w})[0]), (std::vector<double>{28}));
}

// The formula in the order it promises, one output at a time.
Floats in_order(const Tensor& x, const Tensor& w, std::int64_t stride, std::int64_t dilation, std::int64_t pad,
                const Shape& out) {
  const Shape &in = x.shape(), &k = w.shape();
  Floats y;
  for (std::int64_t n = 0; n < out[0]; ++n)
    for (std::int64_t m = 0; m < out[1]; ++m)
      for (std::int64_t row = 0; row < out[2]; ++row)
        for (std::int64_t column = 0; column < out[3]; ++column) {
          float sum = 0;
          for (std::int64_t c = 0; c < k[1]; ++c)
            for (std::int64_t i = 0; i < k[2]; ++i)
              for (std::int64_t j = 0; j < k[3]; ++j) {
                const std::int64_t r = row * stride + i * dilation - pad, s = column * stride + j * dilation - pad;
                const bool inside = r >= 0 && r < in[2] && s >= 0 && s < in[3];
                const float element =
                    inside ? values<float>(x)[static_cast<std::size_t>(((n * in[1] + c) * in[2] + r) * in[3] + s)]
                           : 0.0F;
                sum = std::fma(values<float>(w)[static_cast<std::size_t>(((m * k[1] + c) * k[2] + i) * k[3] + j)],
                               element, sum);
              }
          y.push_back(sum);
        }
  return y;
}

TEST(Conv, SumsInOrderWhateverTheTiling) {
  std::mt19937 random(1);
  const auto some = [&](const Shape& shape) {
    Floats numbers(static_cast<std::size_t>(element_count(shape)));
    for (float& number : numbers) number = std::normal_distribution<float>()(random);
    return Tensor::from<float>(shape, numbers);
  };
  for (std::int64_t channels = 1; channels <= 13; ++channels)
    for (const std::int64_t stride : {1, 2, 3})
      for (const std::int64_t dilation : {1, 7}) {  // 7: wider than the input
        const std::int64_t width = 3 + channels, taps = dilation == 1 ? 2 + channels % 4 : 2;
        const Tensor x = some({2, 3, 5, width}), w = some({channels, 3, 3, taps});
        const Tensor y = run_operator("Conv", 11,
                                      {{"pads", ints({6, 6, 6, 6})},
                                       {"strides", ints({stride, stride})},
                                       {"dilations", ints({dilation, dilation})}},
                                      {x, w})[0];
        EXPECT_EQ(values<float>(y), in_order(x, w, stride, dilation, 6, y.shape()))
            << channels << " channels, stride " << stride << ", dilation " << dilation;
      }
}

TEST(Conv, SumsInOrderInEverySliceOfARow) {
  std::mt19937 random(2);
  Floats numbers(4 * 1001);
  for (float& number : numbers) number = std::normal_distribution<float>()(random);
  const Tensor x = Tensor::from<float>({1, 4, 1001}, numbers),
               w = Tensor::from<float>({3, 4, 5}, std::span(numbers).first(60));
  for (const std::int64_t stride : {1, 2, 3}) {
    const Tensor y = run_operator("Conv", 11, {{"strides", ints({stride})}}, {x, w})[0];
    EXPECT_EQ(values<float>(y),
              in_order(x.reshaped({1, 4, 1, 1001}), w.reshaped({3, 4, 1, 5}), stride, 1, 0, {1, 3, 1, y.shape()[2]}))
        << stride;
  }
}

TEST(Conv, TakesAStrideWiderThanAnyInput) {
  const Tensor x = counting<float>({1, 1, 1, 5}), w = Tensor::from<float>({1, 1, 1, 3}, {1, 10, 100});
  const Tensor y = run_operator("Conv", 11, {{"strides", ints({1, 2000000000})}}, {x, w})[0];
  EXPECT_EQ(values<float>(y), (Floats{210}));
}

TEST(Conv, RoundsHalvesOnce) {
  // float16 has no 2049: adding 1 to 2048 twice, rounding each time, would stay at 2048.
  const Tensor x = convert(Tensor::from<float>({1, 3, 1}, {2048, 1, 1}), DType::kFloat16);
  const Tensor w = convert(Tensor::from<float>({1, 3, 1}, {1, 1, 1}), DType::kFloat16);
  const Tensor y = run_operator("Conv", 11, {}, {x, w})[0];
  EXPECT_EQ(y.dtype(), DType::kFloat16);
  EXPECT_EQ(y.number_at(0), 2050.0);
}

TEST(Conv, FillsWholeAndPartialPanels) {
  // 11 outputs and 5 channels: neither is a multiple of what the kernel computes side by side.
  const Tensor x = counting<float>({1, 2, 13}, 1.0F), w = counting<float>({5, 2, 3}, 1.0F);
  const Tensor y = run_operator("Conv", 11, {}, {x, w})[0];
  for (std::int64_t m = 0; m < 5; ++m)
    for (std::int64_t o = 0; o < 11; ++o) {
      std::int64_t sum = 0;
      for (std::int64_t c = 0; c < 2; ++c)
        for (std::int64_t k = 0; k < 3; ++k) sum += (m * 6 + c * 3 + k + 1) * (c * 13 + o + k + 1);
      EXPECT_EQ(y.number_at(m * 11 + o), static_cast<double>(sum)) << m << ", " << o;
    }
}

TEST(Conv, InfersWithSymbols) {
  const Dim n = Dim::symbol("N"), h = Dim::symbol("H");
  const Fact w = fact(DType::kFloat, SymbolicShape{8, 3, 3, 3}), x = fact(DType::kFloat, SymbolicShape{n, 3, h, 32});
  EXPECT_EQ(infer_operator("Conv", 11, {{"pads", ints({1, 1, 1, 1})}}, {x, w}).shape, (SymbolicShape{n, 8, h, 32}));
  EXPECT_EQ(infer_operator("Conv", 11, {}, {x, w}).shape, (SymbolicShape{n, 8, Dim(), 30}));
  const Fact unknown = fact(DType::kFloat, std::nullopt);
  EXPECT_EQ(infer_operator("Conv", 11, {}, {unknown, unknown}).shape, std::nullopt);
}

TEST(Conv, ChecksItsConstraints) {
  const Tensor x = counting<float>({1, 2, 4}), w = counting<float>({2, 2, 3});
  EXPECT_EQ(broken_constraint("Conv", 11, {}, {x, counting<double>({2, 2, 3})}), "conv_c1");
  EXPECT_EQ(broken_constraint("Conv", 11, {}, {counting<std::int32_t>({1, 2, 4}), w}), "conv_c1");
  EXPECT_EQ(broken_constraint("Conv", 11, {}, {x, counting<float>({2, 3, 3})}), "conv_c2");
  EXPECT_EQ(broken_constraint("Conv", 11, {}, {counting<float>({2, 4}), w}), "conv_c2");
  EXPECT_EQ(broken_constraint("Conv", 11, {{"group", 0L}}, {x, w}), "conv_c2");
  EXPECT_EQ(broken_constraint("Conv", 11, {}, {counting<float>({1, 0, 4}), Tensor(DType::kFloat, {2, 0, 1})}),
            "conv_c2");
  EXPECT_EQ(broken_constraint("Conv", 11, {}, {x, w, counting<float>({3})}), "conv_c3");
  EXPECT_EQ(broken_constraint("Conv", 11, {{"kernel_shape", ints({2})}}, {x, w}), "conv_c4");
  EXPECT_EQ(broken_constraint("Conv", 11, {{"strides", ints({0})}}, {x, w}), "conv_c4");
  EXPECT_EQ(broken_constraint("Conv", 11, {{"pads", ints({-1, 0})}}, {x, w}), "conv_c4");
  EXPECT_EQ(broken_constraint("Conv", 11, {{"dilations", ints({INT64_MAX})}}, {x, w}), "conv_c4");
  EXPECT_EQ(broken_constraint("Conv", 11, {{"auto_pad", "AROUND"}}, {x, w}), "conv_c4");
}

}  // namespace
}  // namespace octet
