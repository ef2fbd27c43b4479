#include "octet/engine/fast/float_weights.h"

#include <algorithm>

namespace octet::fast {

FloatWeights packed_weights(std::span<const float> weights, std::int64_t groups, std::int64_t channels,
                            std::int64_t products, std::int64_t lanes) {
  FloatWeights packed;
  packed.width = channels <= lanes ? lanes : 2 * lanes;
  packed.block_step = products * packed.width;
  packed.group_step = (channels + packed.width - 1) / packed.width * packed.block_step;
  packed.values.resize(static_cast<std::size_t>(groups * packed.group_step));
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t m = 0; m < channels; ++m) {
      const float* from = weights.data() + (g * channels + m) * products;
      float* to =
          packed.values.data() + g * packed.group_step + m / packed.width * packed.block_step + m % packed.width;
      for (std::int64_t k = 0; k < products; ++k) to[k * packed.width] = from[k];
    }
  return packed;
}

FloatWeights transposed_weights(std::span<const float> weights, std::int64_t channels, std::int64_t products) {
  FloatWeights packed;
  packed.values.resize(weights.size());
  for (std::int64_t m = 0; m < channels; ++m)
    for (std::int64_t k = 0; k < products; ++k)
      packed.values[static_cast<std::size_t>(k * channels + m)] = weights[static_cast<std::size_t>(m * products + k)];
  return packed;
}

std::int64_t channels_in_round(std::int64_t channels, std::int64_t taps) {
  constexpr std::int64_t kProducts = 32;
  std::int64_t most = std::clamp<std::int64_t>(kProducts / std::max<std::int64_t>(taps, 1), 1, channels);
  while (channels % most != 0) --most;
  return most;
}

}  // namespace octet::fast
