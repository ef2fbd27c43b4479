// Linear Resize of images beside the sum of four neighbours.
#include <tuple>

#include "tests/spec/random_rows.h"

namespace octet {
namespace {

TEST(ResizedRows, AreResizedNeighbourByNeighbour) {
  for (unsigned seed = 0; seed < kRowCases; ++seed) {
    RandomRows random(seed);
    const std::int64_t height = random.number(2, 9), width = random.number(2, 30), scale = random.number(2, 3);
    const Tensor x = random.floats({1, 1, height, width});
    const auto pixel = [&](std::int64_t i, std::int64_t j) {
      return x.as<float>()[static_cast<std::size_t>(i * width + j)];
    };
    Tensor wanted(DType::kFloat, {1, 1, height * scale, width * scale});
    // Two neighbours and their weights.
    const auto around = [&](std::int64_t o, std::int64_t size) {
      const float at = std::clamp((static_cast<float>(o) + 0.5F) / static_cast<float>(scale) - 0.5F, 0.0F,
                                  static_cast<float>(size - 1));
      const auto left = static_cast<std::int64_t>(at), right = std::min(left + 1, size - 1);
      const bool end = left == right;
      return std::tuple(left, right, end ? 0.5F : static_cast<float>(right) - at,
                        end ? 0.5F : at - static_cast<float>(left));
    };
    for (std::int64_t i = 0; i < height * scale; ++i)
      for (std::int64_t j = 0; j < width * scale; ++j) {
        const auto [top, bottom, above, below] = around(i, height);
        const auto [left, right, before, behind] = around(j, width);
        float sum = 0;
        sum += (before * above) * pixel(top, left);
        sum += (behind * above) * pixel(top, right);
        sum += (before * below) * pixel(bottom, left);
        sum += (behind * below) * pixel(bottom, right);
        wanted.mutable_as<float>()[static_cast<std::size_t>(i * width * scale + j)] = sum;
      }
    const auto factor = static_cast<float>(scale);
    const Tensor scales = Tensor::from<float>({4}, {1, 1, factor, factor});
    EXPECT_TRUE(same_bits(run_operator("Resize", 13, {{"mode", "linear"}}, {x, Tensor(), scales})[0], wanted)) << seed;
  }
}

}  // namespace
}  // namespace octet
