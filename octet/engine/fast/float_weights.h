// float_weights.h: float weights in the order in which kernels read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "octet/engine/fast/aligned.h"

namespace octet::fast {

struct FloatWeights {
  Aligned<float> values;   // [group][block][product][width]
  std::int64_t width = 0;  // channels in a block: two vectors, or one where that is all
  std::ptrdiff_t block_step = 0, group_step = 0;

  std::int64_t bytes() const { return static_cast<std::int64_t>(values.size() * sizeof(float)); }
};

// From weights [group * channels][products]. Channels beyond the last are 0.
FloatWeights packed_weights(std::span<const float> weights, std::int64_t groups, std::int64_t channels,
                            std::int64_t products, std::int64_t lanes);
// [products][channels] of [channels][products].
FloatWeights transposed_weights(std::span<const float> weights, std::int64_t channels, std::int64_t products);

// How many channels, a divisor of all, make a round of products that is neither short nor long.
std::int64_t channels_in_round(std::int64_t channels, std::int64_t taps);

}  // namespace octet::fast
