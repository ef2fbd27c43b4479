// Between floats, bytes and values of 16 bits.
#include "tests/engine/fast/kernel_case.h"

namespace octet::fast {
namespace {

TEST(FastBorder, TurnsChannelsLastWhileQuantizingAndBack) {
  for (unsigned seed = 0; seed < kKernelCases; ++seed) {
    KernelCase c(seed);
    const DType type = c.byte_type();
    Shape shape = c.image_shape();
    if (c.coin()) shape[1] = 3;
    const bool turns = c.coin();
    const std::int64_t axis = turns ? 1 : c.number(0, 3);
    std::vector<float> scales;
    std::vector<std::int32_t> zero_points;
    for (std::int64_t k = c.coin() ? 1 : shape[static_cast<std::size_t>(axis)]; k-- > 0;) {
      scales.push_back(c.scale());
      zero_points.push_back(c.meaning(type).zero_point);
    }
    const Layout layout = c.layout();
    const ValueId floats = c.given(DType::kFloat, shape, turns ? Layout::kAsDeclared : layout);
    const ValueId bytes = c.add(type, shape, turns ? Layout::kChannelsLast : layout);
    c.expect_kernel(work::Quantize{floats, bytes, scales, zero_points, axis});

    const ValueId quantized = c.given(type, shape, turns ? Layout::kChannelsLast : layout);
    const ValueId y = c.add(DType::kFloat, shape, turns ? Layout::kAsDeclared : layout);
    c.expect_kernel(work::Dequantize{quantized, y, scales, zero_points, axis});

    work::QuantizeDynamically dynamic{.x = floats,
                                      .y = c.add(DType::kUint8, shape, turns ? Layout::kChannelsLast : layout)};
    dynamic.scale = c.add(DType::kFloat, {});
    dynamic.zero_point = c.add(DType::kUint8, {});
    c.expect_kernel(dynamic);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(FastWords, TurnIntoFloatsAndBack) {
  for (unsigned seed = 0; seed < 2 * kKernelCases; ++seed) {
    KernelCase c(seed);
    const Shape shape = c.image_shape();
    const Layout layout = c.layout();
    const DType type = c.coin() ? DType::kInt16 : DType::kUint16;
    const std::int64_t axis = c.number(0, 3);
    std::vector<float> scales;
    std::vector<std::int32_t> zero_points;
    for (std::int64_t k = c.coin() ? 1 : shape[static_cast<std::size_t>(axis)]; k-- > 0;) {
      scales.push_back(c.scale() / 16);  // some results saturate
      zero_points.push_back(c.meaning(type).zero_point);
    }
    const ValueId floats = c.given(DType::kFloat, shape, layout), words = c.given(type, shape, layout);
    c.expect_kernel(work::Quantize{floats, c.add(type, shape, layout), scales, zero_points, axis});
    c.expect_kernel(work::Dequantize{words, c.add(DType::kFloat, shape, layout), scales, zero_points, axis});
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(FastWords, AreTakenApart) {
  for (unsigned seed = 0; seed < kKernelCases; ++seed) {
    KernelCase c(seed);
    const Shape shape = c.image_shape();
    const Layout layout = c.layout();
    c.expect_kernel(work::SplitBytes{.x = c.given(c.coin() ? DType::kInt16 : DType::kUint16, shape, layout),
                                     .high = c.add(DType::kUint8, shape, layout),
                                     .low = c.add(DType::kUint8, shape, layout)});
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

// The sums are of any bits, so that those in int32 wrap.
TEST(FastWords, JoinPartialSums) {
  for (unsigned seed = 0; seed < 2 * kKernelCases; ++seed) {
    KernelCase c(seed);
    const Shape shape = c.image_shape();
    const Layout layout = c.layout();
    work::JoinedSum work{.type = c.coin() ? DType::kInt32 : DType::kInt64,
                         .y = c.add(DType::kFloat, shape, layout),
                         .axis = c.number(0, 3)};
    for (std::int64_t count = c.number(1, 4); count-- > 0;)
      work.parts.push_back({c.given(DType::kInt32, shape, layout), std::int64_t{1} << (8 * c.number(0, 2))});
    const auto numbers = [&](std::vector<float>& to) {
      for (std::int64_t k = c.coin() ? 1 : shape[static_cast<std::size_t>(work.axis)]; k-- > 0;)
        to.push_back(c.scale());
    };
    numbers(work.multipliers);
    if (c.coin()) numbers(work.bias);
    c.expect_kernel(work);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace octet::fast
