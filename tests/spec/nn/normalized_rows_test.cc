// InstanceNormalization beside moments in order.
#include <cmath>

#include "tests/spec/random_rows.h"

namespace octet {
namespace {

TEST(NormalizedRows, AreNormalizedByTheirMoments) {
  for (unsigned seed = 0; seed < kRowCases; ++seed) {
    RandomRows random(seed);
    const std::int64_t channels = random.number(1, 30), size = random.number(1, 50);
    const Tensor x = random.floats({1, channels, size}, false, seed % 3 == 0), scale = random.floats({channels}),
                 bias = random.floats({channels});
    Tensor wanted(DType::kFloat, x.shape());
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::span<const float> plane =
          x.as<float>().subspan(static_cast<std::size_t>(c * size), static_cast<std::size_t>(size));
      double mean = 0, variance = 0;
      for (const float value : plane) mean += static_cast<double>(value);
      mean /= static_cast<double>(size);
      for (const float value : plane)
        variance += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
      variance /= static_cast<double>(size);
      const auto at = static_cast<std::size_t>(c);
      const float factor = scale.as<float>()[at] / std::sqrt(static_cast<float>(variance) + 1e-5F);
      for (std::size_t k = 0; k < plane.size(); ++k)
        wanted.mutable_as<float>()[at * plane.size() + k] =
            (plane[k] - static_cast<float>(mean)) * factor + bias.as<float>()[at];
    }
    EXPECT_TRUE(same_bits(run_operator("InstanceNormalization", 6, {}, {x, scale, bias})[0], wanted)) << seed;
  }
}

}  // namespace
}  // namespace octet
