// packed_weights.h: weights in the order in which kernels read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "octet/engine/fast/simd/products.h"
#include "octet/engine/fast/strip.h"
#include "octet/program/work.h"

namespace octet::fast {

// Four bytes of x: which run they are of, and how many bytes behind its beginning.
struct UnitPlace {
  std::int32_t run = 0, offset = 0;
};

// Some channels of one group, as many as a tile computes.
struct ChannelBlock {
  std::int64_t first = 0;             // among the group's channels, padded ones included
  std::int64_t vectors = 0;           // 1 or 2
  std::size_t offset = 0;             // of its weights in PackedWeights::bytes
  std::vector<UnitPlace> units = {};  // the x that it meets one by one, if that is its own
};

struct PackedWeights {
  std::vector<std::byte> bytes;  // of group 0, then of the next
  std::size_t group_bytes = 0;
  std::vector<ChannelBlock> blocks;  // of a group
  std::int64_t padded_channels = 0;  // of a group
  std::int64_t run_units = 0;
  std::vector<std::int32_t> starts;  // [group][padded channel]: bias
  std::vector<std::int32_t> sums;    // of the weights, alike

  std::int64_t memory() const;
};

// Weights less their zero points: int16 hold them always, int8 perhaps.
struct DifferenceWeights {
  std::vector<std::int16_t> values;  // [channels, products]
  bool fit_bytes = false;
};
DifferenceWeights differences(const work::Sum& sum);

// For strips of a form: `taps_in_run` taps of `group_channels` channels make a run.
struct PackingOrder {
  StripForm form;
  std::int64_t group = 1, group_channels = 0, taps = 1, taps_in_run = 1;
};
PackedWeights packed(const work::Sum& sum, const DifferenceWeights& weights, const PackingOrder& order,
                     std::int64_t lanes);

// For Products::safe_quads, of one group (packed_safely.cc): two runs of one unit at a time, each block with its own. Nothing where
// pairs of int16 take as many instructions, nearly.
std::optional<PackedWeights> packed_safely(const work::Sum& sum, const DifferenceWeights& weights,
                                           const PackingOrder& order, std::int64_t lanes);

// A depthwise convolution: for each `lanes` channels and each two taps the pairs of the even and the odd half of every
// 8 channels, as interleaving makes them. A missing last tap counts 0.
struct PackedDepthwise {
  std::vector<std::int16_t> weights;
  std::vector<std::int32_t> starts;
  std::int64_t padded_channels = 0;
};
// A 3x3 kernel as pairs of rows, for Products::depthwise_rows: for each `lanes` channels and each column the pairs (w0, w1),
// (w2, 0), (0, w0), (w1, w2) of its rows, both halves as above.
std::vector<std::int16_t> packed_row_pairs(const work::Sum& sum, const DifferenceWeights& weights, std::int64_t lanes);
PackedDepthwise packed_depthwise(const work::Sum& sum, const DifferenceWeights& weights, std::int64_t lanes);

}  // namespace octet::fast
