#include "octet/engine/fast/packed_weights.h"

#include <algorithm>
#include <cstring>

namespace octet::fast {
namespace {

std::int64_t rounded_up(std::int64_t count, std::int64_t to) { return (count + to - 1) / to * to; }

std::int32_t bias_of(const work::Sum& sum, std::int64_t channel) {
  return sum.bias.empty() ? 0 : one_or(sum.bias, channel);
}

}  // namespace

DifferenceWeights differences(const work::Sum& sum) {
  DifferenceWeights found;
  found.values.resize(static_cast<std::size_t>(sum.channels * sum.products));
  const bool is_signed = sum.weights.dtype() == DType::kInt8;
  const std::span<const std::byte> bytes = sum.weights.bytes();
  int least = 0, greatest = 0;
  for (std::int64_t m = 0; m < sum.channels; ++m) {
    const std::int32_t zero = sum.w_zero_points.empty() ? 0 : one_or(sum.w_zero_points, m);
    for (std::int64_t k = m * sum.products; k < (m + 1) * sum.products; ++k) {
      const auto byte = static_cast<std::uint8_t>(bytes[static_cast<std::size_t>(k)]);
      const int value = (is_signed ? static_cast<std::int8_t>(byte) : byte) - zero;
      found.values[static_cast<std::size_t>(k)] = static_cast<std::int16_t>(value);
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
  }
  found.fit_bytes = least >= -128 && greatest <= 127;
  return found;
}

PackedWeights packed(const work::Sum& sum, const DifferenceWeights& weights, const PackingOrder& order,
                     std::int64_t lanes) {
  const std::int64_t channels = sum.channels / order.group;
  const std::int64_t run_length = order.taps_in_run * order.group_channels, runs = order.taps / order.taps_in_run;
  const std::int64_t in_unit = 4 / order.form.element_size();
  PackedWeights p;
  p.run_units = rounded_up(run_length, in_unit) / in_unit;
  std::size_t offset = 0;
  for (std::int64_t first = 0; first < channels;) {
    const std::int64_t vectors = channels - first > lanes ? 2 : 1;
    p.blocks.push_back({first, vectors, offset});
    offset += static_cast<std::size_t>(runs * p.run_units * vectors * lanes * 4);
    first += vectors * lanes;
    p.padded_channels = first;
  }
  p.group_bytes = offset;
  p.bytes.resize(offset * static_cast<std::size_t>(order.group));
  p.starts.resize(static_cast<std::size_t>(order.group * p.padded_channels));
  p.sums.resize(p.starts.size());
  for (std::int64_t g = 0; g < order.group; ++g)
    for (const ChannelBlock& block : p.blocks) {
      std::byte* to = p.bytes.data() + static_cast<std::size_t>(g) * p.group_bytes + block.offset;
      const std::int64_t width = block.vectors * lanes;
      for (std::int64_t c = 0; c < std::min(width, channels - block.first); ++c) {
        const std::int64_t m = g * channels + block.first + c;
        const std::int16_t* from = weights.values.data() + m * sum.products;
        const auto place = static_cast<std::size_t>(g * p.padded_channels + block.first + c);
        p.starts[place] = bias_of(sum, m);
        for (std::int64_t k = 0; k < sum.products; ++k) p.sums[place] += from[k];
        for (std::int64_t r = 0; r < runs; ++r)
          for (std::int64_t e = 0; e < run_length; ++e) {
            const std::int64_t tap = r * order.taps_in_run + e / order.group_channels, x = e % order.group_channels;
            const std::int16_t value = from[x * order.taps + tap];
            std::byte* unit = to + ((r * p.run_units + e / in_unit) * width + c) * 4;
            if (in_unit == 2)
              std::memcpy(unit + e % 2 * 2, &value, 2);
            else
              unit[e % 4] = static_cast<std::byte>(value);
          }
      }
    }
  return p;
}

std::int64_t PackedWeights::memory() const {
  std::size_t found = bytes.size() + (starts.size() + sums.size()) * sizeof(std::int32_t);
  for (const ChannelBlock& block : blocks) found += sizeof(block) + block.units.size() * sizeof(UnitPlace);
  return static_cast<std::int64_t>(found);
}

std::vector<std::int16_t> packed_row_pairs(const work::Sum& sum, const DifferenceWeights& weights, std::int64_t lanes) {
  constexpr int kNone = -1, kRows[4][2] = {{0, 1}, {2, kNone}, {kNone, 0}, {1, 2}};
  std::vector<std::int16_t> packed(static_cast<std::size_t>(rounded_up(sum.channels, lanes) * 3 * 4 * 2));
  for (std::int64_t m = 0; m < sum.channels; ++m) {
    const std::int64_t c = m % lanes, half = c % 8 / 4, lane = (c / 8 * 4 + c % 4) * 2;
    for (std::int64_t column = 0; column < 3; ++column)
      for (std::int64_t pair = 0; pair < 4; ++pair)
        for (std::int64_t k = 0; k < 2; ++k)
          if (const int row = kRows[pair][k]; row != kNone)
            packed[static_cast<std::size_t>((((m / lanes * 3 + column) * 4 + pair) * 2 + half) * lanes + lane + k)] =
                weights.values[static_cast<std::size_t>(m * 9 + row * 3 + column)];
  }
  return packed;
}

PackedDepthwise packed_depthwise(const work::Sum& sum, const DifferenceWeights& weights, std::int64_t lanes) {
  const std::int64_t pairs = (sum.products + 1) / 2;
  PackedDepthwise p;
  p.padded_channels = rounded_up(sum.channels, lanes);
  p.weights.resize(static_cast<std::size_t>(p.padded_channels * pairs * 2));
  p.starts.resize(static_cast<std::size_t>(p.padded_channels));
  for (std::int64_t m = 0; m < sum.channels; ++m) {
    p.starts[static_cast<std::size_t>(m)] = bias_of(sum, m);
    const std::int64_t c = m % lanes, half = c % 8 / 4;
    for (std::int64_t t = 0; t < sum.products; ++t) {
      // [channels / lanes][pair of taps][half][block of 8 channels][4 of them][tap of the pair]
      std::int64_t place = ((m / lanes * pairs + t / 2) * 2 + half) * lanes + (c / 8 * 4 + c % 4) * 2 + t % 2;
      if (lanes == 1) place = (m * pairs + t / 2) * 2 + t % 2;
      p.weights[static_cast<std::size_t>(place)] = weights.values[static_cast<std::size_t>(m * sum.products + t)];
    }
  }
  return p;
}

}  // namespace octet::fast
