// packed_safely.cc: weights whose products with bytes can't leave int16.
//
// An instruction multiplies the four bytes of a unit of x by weights, and adds the products of bytes 0 and 1, and those of 2
// and 3. The sums of two units are added to one another, in int16 like them. Of x from 0 to 255 nothing saturates where in
// each of these lanes the positive weights sum to 128 at most and the negative ones to -128 at least: 255 * 128 < 2^15.
//
// Which two units meet is free. Those with large weights are put beside those with small ones; a unit that can't stand alone
// stands twice, with a part of its weights each.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "octet/engine/fast/packed_weights.h"

namespace octet::fast {
namespace {

constexpr int kMostInLane = 128;
constexpr std::int64_t kInUnit = 4, kLanes = 2;  // weights of a unit, and the lanes that they are summed in

// Some weights of one unit, for the channels of a block.
struct UnitPart {
  UnitPlace place;                       // of the unit
  std::vector<std::int16_t> weights;     // [channel][4]
  std::vector<std::int16_t> magnitudes;  // [channel][lane]: of the positive weights, then of the negative ones
  std::int16_t greatest = 0;             // of the magnitudes

  UnitPart(UnitPlace at, std::vector<std::int16_t> w) : place(at), weights(std::move(w)) {
    const std::size_t lanes = weights.size() / kLanes;
    magnitudes.resize(2 * lanes);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      std::int16_t& magnitude = magnitudes[k / kLanes + (weights[k] < 0 ? lanes : 0)];
      magnitude = static_cast<std::int16_t>(magnitude + std::abs(weights[k]));
    }
    for (const std::int16_t magnitude : magnitudes) greatest = std::max(greatest, magnitude);
  }
};

bool fit_together(const UnitPart& a, const UnitPart& b) {
  int most = 0;
  for (std::size_t k = 0; k < a.magnitudes.size(); ++k) most = std::max(most, a.magnitudes[k] + b.magnitudes[k]);
  return most <= kMostInLane;
}

// The unit whole, or in two: lanes that are too large by halves (those of int8 are small enough), the others in the first.
void add_parts(UnitPart unit, std::vector<UnitPart>& parts) {
  if (unit.greatest <= kMostInLane) return parts.push_back(std::move(unit));
  const std::size_t lanes = unit.weights.size() / kLanes;
  std::vector<std::int16_t> second(unit.weights.size());
  for (std::size_t k = 0; k < second.size(); ++k)
    if (std::max(unit.magnitudes[k / kLanes], unit.magnitudes[lanes + k / kLanes]) > kMostInLane) {
      second[k] = static_cast<std::int16_t>(unit.weights[k] / 2);
      unit.weights[k] = static_cast<std::int16_t>(unit.weights[k] - second[k]);
    }
  parts.emplace_back(unit.place, std::move(unit.weights));
  parts.emplace_back(unit.place, std::move(second));
}

// Part by part, each beside its companion: the largest takes the smallest that fits, or none (null).
using Pair = std::array<const UnitPart*, 2>;
std::vector<Pair> paired(const std::vector<UnitPart>& parts) {
  constexpr std::ptrdiff_t kTries = 32;
  std::vector<const UnitPart*> open;
  for (const UnitPart& part : parts) open.push_back(&part);
  std::stable_sort(open.begin(), open.end(),
                   [](const UnitPart* a, const UnitPart* b) { return a->greatest > b->greatest; });
  std::vector<Pair> pairs;
  for (std::size_t k = 0; k < open.size(); ++k) {
    const auto first = open.rbegin(), last = first + std::min(kTries, static_cast<std::ptrdiff_t>(open.size() - k - 1));
    const auto found = std::find_if(first, last, [&](const UnitPart* other) { return fit_together(*open[k], *other); });
    pairs.push_back({open[k], found == last ? nullptr : *found});
    if (found != last) open.erase(std::next(found).base());
  }
  return pairs;
}

}  // namespace

std::optional<PackedWeights> packed_safely(const work::Sum& sum, const DifferenceWeights& weights,
                                           const PackingOrder& order, std::int64_t lanes) {
  const std::int64_t run_length = order.taps_in_run * order.group_channels, runs = order.taps / order.taps_in_run;
  const std::int64_t int16_pairs = runs * ((run_length + 1) / 2);
  PackedWeights p = packed(sum, weights, order, lanes);  // for the blocks, starts and sums
  p.bytes.clear();
  p.run_units = 1;
  std::int64_t entries = 0, allowed = 0;
  for (ChannelBlock& block : p.blocks) {
    const std::int64_t width = block.vectors * lanes, real = std::min(width, sum.channels - block.first);
    std::vector<UnitPart> parts;
    for (std::int64_t r = 0; r < runs; ++r)
      for (std::int64_t at = 0; at < run_length; at += kInUnit) {
        std::vector<std::int16_t> unit(static_cast<std::size_t>(width * kInUnit));
        for (std::int64_t c = 0; c < real; ++c)
          for (std::int64_t e = at; e < std::min(at + kInUnit, run_length); ++e) {
            const std::int64_t tap = r * order.taps_in_run + e / order.group_channels;
            unit[static_cast<std::size_t>(c * kInUnit + e - at)] = weights.values[static_cast<std::size_t>(
                (block.first + c) * sum.products + e % order.group_channels * order.taps + tap)];
          }
        const UnitPlace place = {static_cast<std::int32_t>(r), static_cast<std::int32_t>(at)};
        add_parts(UnitPart(place, std::move(unit)), parts);
      }
    block.offset = p.bytes.size();
    const std::vector<Pair> pairs = paired(parts);
    for (const Pair& pair : pairs)
      for (const UnitPart* part : pair) {
        block.units.push_back(part ? part->place : pair[0]->place);
        for (std::int64_t k = 0; k < width * kInUnit; ++k)
          p.bytes.push_back(static_cast<std::byte>(part ? part->weights[static_cast<std::size_t>(k)] : 0));
      }
    // Five instructions for each, two for a pair of int16, and a margin of an eighth.
    entries += 5 * static_cast<std::int64_t>(pairs.size());
    allowed += 2 * int16_pairs;
    if (entries * 8 > allowed * 7) return std::nullopt;
  }
  return p;
}

}  // namespace octet::fast
