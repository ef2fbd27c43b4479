// places.h: the numbers that a layer's weights multiply, at some places of what it reads.
#pragma once

#include <cstdint>
#include <vector>

#include "octet/graph/model.h"

namespace octet {

// The shape of Conv, Gemm, or MatMul with a matrix: `channels` outputs of `products` each, in `groups` that read inputs
// of their own.
struct LayerShape {
  std::int64_t channels = 0, products = 0, groups = 1;
  bool transposed = false;  // weights are [products, channels]; else [channels, products]

  std::int64_t group_of(std::int64_t channel) const { return channel / (channels / groups); }
  std::size_t element(std::int64_t channel, std::int64_t product) const {
    return static_cast<std::size_t>(transposed ? product * channels + channel : channel * products + product);
  }
};

// For a plain layer (weight_channels.h) whose channels are known.
LayerShape layer_shape(const Node& node, const Tensor& weights);

// The products of each group at up to `most` evenly spread places, for each index of the first axis. Padding is 0.
std::vector<float> places_of(const Node& node, const Tensor& weights, const Tensor& x, std::int64_t most);

}  // namespace octet
