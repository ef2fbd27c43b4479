#include "tests/engine/fast/kernel_case.h"

namespace octet::fast {
namespace {

TEST(FastEpilogue, AppliesToBlocksOfRowsAndChannels) {
  for (unsigned seed = 0; seed < 3 * kKernelCases; ++seed) {
    KernelCase c(seed);
    const std::int64_t rows = c.number(1, 9), channels = c.number(1, 70), depth = 3;
    const DType type = c.byte_type();
    work::MatrixProduct work{.x = c.given(DType::kUint8, {rows, depth}), .w = c.given(DType::kInt8, {depth, channels})};
    work.sum = {.x_type = DType::kUint8, .products = depth, .x_zero_point = 5, .w_zero_points = {0}};
    const auto for_channels = [&](float factor) {
      std::vector<float> result(static_cast<std::size_t>(c.coin() ? 1 : channels));
      for (float& real : result) real = factor * c.scale();
      return result;
    };
    const std::int64_t kind = c.number(0, 2);
    work.y = c.add(kind == 0 ? DType::kInt32 : kind == 1 ? DType::kFloat : type, {rows, channels});
    if (kind == 1) {
      const ValueId scale = c.coin() ? c.given(DType::kFloat, {}) : kNoValue;
      work.epilogue = {work::ToFloat{for_channels(1), scale, c.coin() ? for_channels(100) : std::vector<float>()}};
    } else if (kind == 2) {
      work.epilogue = c.stages(type, work.y);
      work.epilogue.insert(work.epilogue.begin(), work::Requantize{for_channels(1), c.meaning(type), type});
    }
    c.expect_epilogue(work, rows, channels);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace octet::fast
