#include "octet/analyze/bounds.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "octet/engine/step_sums.h"
#include "octet/spec/pair_products.h"

namespace octet {
namespace {

constexpr std::int64_t kLeast32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kGreatest32 = std::numeric_limits<std::int32_t>::max();

// Weight k of output channel m, as the sum takes them: by input channel, then tap.
class Weights {
 public:
  Weights(const Step& step, const Accumulation& sum)
      : sum_(sum), rows_(step.kind == StepKind::kConvolution || sum.transposed) {}

  std::int64_t raw(std::int64_t m, std::int64_t k) const {
    return sum_.weights.int_at(rows_ ? m * sum_.products + k : k * sum_.channels + m);
  }
  std::int64_t centered(std::int64_t m, std::int64_t k) const { return raw(m, k) - one_or(sum_.w_zero_points, m); }

 private:
  const Accumulation& sum_;
  bool rows_;
};

ChannelBounds channel_bounds(const Accumulation& sum, const Weights& weights, std::int64_t m, const IntegerRange& x) {
  const std::int64_t bias = sum.bias.empty() ? 0 : one_or(sum.bias, m);
  Interval centered, raw;
  for (std::int64_t k = 0; k < sum.products; ++k) {
    const std::int64_t w = weights.centered(m, k);
    const auto [low, high] = std::minmax({w * (x.min - sum.x_zero_point), w * (x.max - sum.x_zero_point)});
    centered.least += low;
    centered.greatest += high;
    raw.least += std::min(w * x.min, w * x.max);
    raw.greatest += std::max(w * x.min, w * x.max);
  }
  ChannelBounds found;
  found.final = {centered.least + bias, centered.greatest + bias};
  found.any_order = {centered.least + std::min<std::int64_t>(0, bias),
                     centered.greatest + std::max<std::int64_t>(0, bias)};
  found.raw = raw;
  found.reachable = found.final.greatest - found.final.least + 1;
  return found;
}

// The sum of two products of raw bytes, in the order of the runtime's kernels: per tap, input channels in pairs. Any
// two neighbours of that order count, the pixels chosen against them.
void count_pairs(const Step& step, const Accumulation& sum, const Weights& weights, StepBounds& found) {
  const bool convolution = step.kind == StepKind::kConvolution;
  const std::int64_t inputs = convolution ? sum.weights.shape()[1] : sum.products, taps = sum.products / inputs;
  // Position k of the kernel's order (tap, input channel) in ours (input channel, tap).
  const auto place = [&](std::int64_t k) { return k % inputs * taps + k / inputs; };
  for (std::int64_t m = 0; m < sum.channels; ++m)
    for (std::int64_t k = 0; k + 1 < sum.products; k += 2) {
      const std::int64_t a = weights.raw(m, place(k)), b = weights.raw(m, place(k + 1));
      const std::int64_t high = 255 * (std::max<std::int64_t>(a, 0) + std::max<std::int64_t>(b, 0));
      const std::int64_t low = 255 * (std::min<std::int64_t>(a, 0) + std::min<std::int64_t>(b, 0));
      ++found.pairs;
      if (lost_in_16_bits(static_cast<std::int32_t>(high)) == 0 && lost_in_16_bits(static_cast<std::int32_t>(low)) == 0)
        continue;
      ++found.saturating_pairs;
      found.channels[static_cast<std::size_t>(m)].saturating_pairs.push_back({k / inputs, k % inputs, a, b});
    }
}

void find_multipliers(const Accumulation& sum, DType result, const BoundsOptions& options, StepBounds& found) {
  if (!sum.y || sum.multipliers.empty()) return;
  for (std::size_t m = 0; m < found.channels.size(); ++m) {
    ChannelBounds& channel = found.channels[m];
    const float multiplier = one_or(sum.multipliers, static_cast<std::int64_t>(m));
    if (!(multiplier >= 0)) continue;  // neither staircase rises
    const Requantization requantization{multiplier, sum.y->zero_point, integer_range(result),
                                        std::max(channel.final.least, kLeast32),
                                        std::min(channel.final.greatest, kGreatest32)};
    channel.equal = equal_multipliers(requantization, options.rounding);
    channel.multiplier = narrowest_multiplier(*channel.equal);
    channel.ties = count_ties(requantization);
    if (!channel.multiplier) channel.differing = differing_accumulators(requantization, options.rounding);
  }
  for (int shift = 0; shift <= 62 && !found.shared_shift; ++shift) {
    int bits = 0;
    const bool all = std::all_of(found.channels.begin(), found.channels.end(), [&](const ChannelBounds& channel) {
      const std::optional<std::int64_t> m = channel.equal ? multiplier_at(*channel.equal, shift) : std::nullopt;
      if (m) bits = std::max(bits, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(*m))));
      return m.has_value();
    });
    if (!all || bits > 31) continue;
    found.shared_shift = shift;
    found.shared_bits = bits;
  }
}

}  // namespace

void Interval::include(const Interval& other) {
  least = std::min(least, other.least);
  greatest = std::max(greatest, other.greatest);
}

int signed_width(const Interval& interval) {
  const auto magnitude = [](std::int64_t value) { return static_cast<std::uint64_t>(value < 0 ? ~value : value); };
  return static_cast<int>(std::bit_width(std::max(magnitude(interval.least), magnitude(interval.greatest)))) + 1;
}

std::vector<StepBounds> bounds(const Program& program, const BoundsOptions& options) {
  std::vector<StepBounds> result;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const Step& step = program.steps[s];
    const auto* sum = std::get_if<Accumulation>(&step.constants);
    if (!sum || sum->weights.empty() || sum->least.empty()) continue;
    const ProgramValue& x = program.values[step.operations.front().inputs[0]];
    const IntegerRange range = integer_range(x.dtype), types = integer_range(sum->weights.dtype());
    StepBounds found{.step = s, .products = sum->products};
    const Weights weights(step, *sum);
    for (std::int64_t m = 0; m < sum->channels; ++m) found.channels.push_back(channel_bounds(*sum, weights, m, range));
    found.final = found.channels.front().final;
    for (const ChannelBounds& channel : found.channels) {
      found.final.include(channel.final);
      found.any_order.include(channel.any_order);
      found.raw.include(channel.raw);
    }
    const std::int64_t largest = std::max(std::abs(range.min), std::abs(range.max)) *
                                 std::max(std::abs(types.min), std::abs(types.max)) * sum->products;
    found.textbook = {-largest, largest};
    if (x.dtype == DType::kUint8 && sum->weights.dtype() == DType::kInt8) count_pairs(step, *sum, weights, found);
    const DType y = program.values[step.operations.front().outputs[0]].dtype;
    if (y == DType::kInt8 || y == DType::kUint8) find_multipliers(*sum, y, options, found);
    result.push_back(std::move(found));
  }
  return result;
}

void observe(std::vector<StepBounds>& bounds, const Program& program, const NamedTensors& values) {
  for (StepBounds& bound : bounds) {
    const std::optional<StepSums> sums = step_sums(program, program.steps[bound.step], values);
    if (!sums) continue;
    const std::span<const double> numbers = sums->sums.as<double>();
    for (std::int64_t k = 0; k < sums->sums.size(); ++k) {
      const auto value = static_cast<std::int64_t>(numbers[static_cast<std::size_t>(k)]);
      ChannelBounds& channel = bound.channels[static_cast<std::size_t>(sums->channel_of(k))];
      const Interval one{value, value};
      channel.observed ? channel.observed->include(one) : void(channel.observed = one);
    }
    for (const ChannelBounds& channel : bound.channels)
      if (channel.observed) {
        if (!bound.observed) bound.observed = channel.observed;
        bound.observed->include(*channel.observed);
      }
  }
}

}  // namespace octet
