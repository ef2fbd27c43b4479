// weight_channels.h: which channel each weight of a layer belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "octet/graph/model.h"

namespace octet {

// The axis of a node's output channels in its weights, input 1, where they can have a scale each.
std::optional<std::int64_t> channel_axis(const Node& node, const Tensor& weights);

// Element (outer, channel, inner) of weights as [outer, channels, inner], where each of `groups` blocks of outer has channels of
// its own.
struct WeightChannels {
  std::int64_t outer, channels, inner, groups = 1;

  std::int64_t count() const { return channels * groups; }
  std::size_t of(std::int64_t element) const {
    return static_cast<std::size_t>(element / (channels * inner) / (outer / groups) * channels +
                                    element / inner % channels);
  }
};

// The channels of Conv, Gemm, or MatMul with a matrix, with at least one weight; nothing for other nodes. Output
// channels are those that the layer makes, input channels those it reads.
std::optional<WeightChannels> output_channels(const Node& node, const Tensor& weights);
std::optional<WeightChannels> input_channels(const Node& node, const Tensor& weights);

// Conv, MatMul, and Gemm without transA, alpha and beta.
bool is_plain_layer(const Node& node);

}  // namespace octet
