#include "octet/analyze/bounds.h"

#include <algorithm>
#include <bit>
#include <span>

#include "octet/analyze/support/known_sum.h"
#include "octet/engine/step_sums.h"
#include "octet/spec/known_forms.h"
#include "octet/spec/pair_products.h"
#include "octet/spec/quantized/integer_forms.h"
#include "octet/spec/reach.h"

namespace octet {
namespace {

Interval interval_of(const IntegerRange& range) { return {range.min, range.max}; }

std::int64_t largest_magnitude(DType dtype) {
  const IntegerRange range = integer_range(dtype);
  return std::max(std::abs(range.min), std::abs(range.max));
}

ChannelBounds channel_bounds(const KnownSum& sum, std::int64_t m) {
  const SumReach reach =
      sum_reach(weight_sums(sum.weights, m, one_or(sum.w_zero_points, m)), interval_of(integer_range(sum.x_type)),
                sum.x_zero_points, sum.bias.empty() ? 0 : one_or(sum.bias, m));
  ChannelBounds found;
  found.start = reach.start;
  found.final = reach.final;
  found.any_order = reach.any_order;
  found.raw = reach.raw;
  found.reachable = reach.final.greatest - reach.final.least + 1;
  return found;
}

// The sum of two products of raw bytes, in the order of the runtime's kernels: per tap, input channels in pairs. Any
// two neighbours of that order count, the pixels chosen against them.
void count_pairs(const KnownSum& sum, StepBounds& found) {
  const std::int64_t inputs = sum.inputs, taps = found.products / inputs;
  const std::span<const std::int8_t> weights = sum.weights.as<std::int8_t>();
  // Weight k of the kernel's order (tap, input channel) in ours (input channel, tap).
  const auto weight = [&](std::int64_t m, std::int64_t k) -> std::int32_t {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number
    return weights[static_cast<std::size_t>(m * found.products + k % inputs * taps + k / inputs)];
  };
  for (std::size_t m = 0; m < found.channels.size(); ++m)
    for (std::int64_t k = 0; k + 1 < found.products; k += 2) {
      const std::int32_t a = weight(static_cast<std::int64_t>(m), k), b = weight(static_cast<std::int64_t>(m), k + 1);
      const std::int32_t high = 255 * (std::max(a, 0) + std::max(b, 0)), low = 255 * (std::min(a, 0) + std::min(b, 0));
      ++found.pairs;
      if (lost_in_16_bits(high) == 0 && lost_in_16_bits(low) == 0) continue;
      ++found.saturating_pairs;
      found.channels[m].saturating_pairs.push_back({k / inputs, k % inputs, a, b});
    }
}

void find_multipliers(const Staircase& stairs, const Requantization& requantization, Rounding rounding,
                      ChannelBounds& channel) {
  for (int rule = 0; rule < kRoundingCount; ++rule) {
    const FractionInterval equal = equal_multipliers(stairs, requantization, static_cast<Rounding>(rule));
    const std::optional<FixedMultiplier> narrowest = narrowest_multiplier(equal);
    channel.equal_rules[static_cast<std::size_t>(rule)] = narrowest.has_value();
    if (static_cast<Rounding>(rule) != rounding) continue;
    channel.equal = equal;
    channel.multiplier = narrowest;
  }
  channel.ties = count_ties(stairs, requantization);
  if (!channel.multiplier) channel.differing = differing_accumulators(stairs, requantization, rounding);
}

void requantize(const work::Requantize& stage, const BoundsOptions& options, KnownForms& forms, StepBounds& found) {
  for (std::size_t m = 0; m < found.channels.size(); ++m) {
    ChannelBounds& channel = found.channels[m];
    const float multiplier = one_or(stage.multipliers, static_cast<std::int64_t>(m));
    const Requantization requantization{multiplier, stage.y.zero_point, integer_range(stage.type)};
    const Interval reach = wrapped_to_int32(channel.final);
    channel.integer = forms.requantizer(requantization, reach);
    const Staircase stairs = staircase(requantization, reach);
    // Else neither staircase rises.
    if (multiplier >= 0) find_multipliers(stairs, requantization, options.rounding, channel);
  }
  for (int shift = 0; shift <= 62 && !found.shared_shift; ++shift) {
    int bits = 0;
    const bool all = std::all_of(found.channels.begin(), found.channels.end(), [&](const ChannelBounds& channel) {
      const std::optional<std::int64_t> m = channel.equal ? multiplier_at(*channel.equal, shift) : std::nullopt;
      if (m) bits = std::max(bits, FixedMultiplier{*m, shift}.bits());
      return m.has_value();
    });
    if (!all || bits > 31) continue;
    found.shared_shift = shift;
    found.shared_bits = bits;
  }
}

StepBounds step_bounds(std::size_t step, const KnownSum& sum, const BoundsOptions& options, KnownForms& forms) {
  StepBounds found{.step = step, .products = sum.weights.shape()[1]};
  for (std::int64_t m = 0; m < sum.weights.shape()[0]; ++m) found.channels.push_back(channel_bounds(sum, m));
  found.final = found.channels.front().final;
  for (const ChannelBounds& channel : found.channels) {
    found.final.include(channel.final);
    found.any_order.include(channel.any_order);
    found.raw.include(channel.raw);
  }
  const std::int64_t largest = largest_magnitude(sum.x_type) * largest_magnitude(sum.weights.dtype()) * found.products;
  found.textbook = {-largest, largest};
  if (sum.x_type == DType::kUint8 && sum.weights.dtype() == DType::kInt8) count_pairs(sum, found);
  if (sum.requantize) requantize(*sum.requantize, options, forms, found);
  return found;
}

}  // namespace

IntegerWidths widths_of(const ChannelBounds& channel) {
  return widths(*channel.integer, wrapped_to_int32(channel.final));
}

std::vector<StepBounds> bounds(const Program& program, const BoundsOptions& options) {
  std::vector<StepBounds> result;
  const KnownSums sums(program);
  KnownForms forms;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    if (options.progress) options.progress(s, program.steps.size());
    if (const std::optional<KnownSum> sum = sums.of(program.steps[s]))
      result.push_back(step_bounds(s, *sum, options, forms));
  }
  if (options.progress) options.progress(program.steps.size(), program.steps.size());
  return result;
}

void observe(std::vector<StepBounds>& bounds, const Program& program, const NamedTensors& values,
             const Parallel& parallel) {
  for (StepBounds& bound : bounds) {
    const std::optional<StepSums> sums = step_sums(program, program.steps[bound.step], values, parallel);
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

namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 40;  // far beyond what memory holds

class CombiningSteps {
 public:
  explicit CombiningSteps(const Program& program) : program_(program) {
    for (step_ = 0; step_ < program.steps.size(); ++step_) {
      const Step& step = program.steps[step_];
      std::visit([&](const auto& work) { add(work); }, step.work);
      if (const std::vector<work::Stage>* stages = epilogue_of(step.work))
        for (const work::Stage& stage : *stages)
          if (const auto* combine = std::get_if<work::Combine>(&stage))
            add_pair(combine->product, combine->q, combine->with, combine->y, type_of(combine->other),
                     combine->other_first);
    }
  }

  std::vector<CombiningStep> found;

 private:
  template <typename T>
  void add(const T&) {}

  void add(const work::Pairwise& work) {
    add_pair(work.product, work.a_meaning, work.b_meaning, work.y_meaning, type_of(work.y), work.swapped);
  }

  void add_pair(bool product, const Quantization& a, const Quantization& b, const Quantization& y, DType type,
                bool swapped) {
    if (type != DType::kInt8 && type != DType::kUint8) return;
    const IntegerRange range = integer_range(type);
    if (product)
      return add_requantizer(StepKind::kMultiplication, integer_multiplication(a, b, y, range),
                             product_reach(a, b, range));
    const IntegerAddition& integer = forms_.addition(a, b, y, range, swapped);
    found.push_back({step_, StepKind::kAddition, integer, std::nullopt, widths(integer)});
  }

  void add(const work::Pool& work) {
    const std::optional<SymbolicShape>& shape = program_.values[work.x].shape;
    if (work.maximum || work.sums_in_float || work.window || !shape) return;
    std::int64_t pixels = 1;
    for (std::size_t d = 1; d < shape->size(); ++d) {
      if (d == (work.channels_last ? shape->size() - 1 : 1)) continue;
      if (!(*shape)[d].known() || (*shape)[d].value() > kMostPixels / std::max<std::int64_t>(pixels, 1)) return;
      pixels *= (*shape)[d].value();
    }
    const IntegerRange range = integer_range(type_of(work.y));
    add_requantizer(StepKind::kPool, integer_average(work.x_meaning, work.y_meaning, pixels, range),
                    average_reach(work.x_meaning, pixels, range));
  }

  void add_requantizer(StepKind kind, IntegerRequantizer integer, const Interval& reach) {
    const IntegerWidths bits = widths(integer, reach);
    found.push_back({step_, kind, std::move(integer), reach, bits});
  }

  DType type_of(ValueId value) const { return program_.values[value].dtype; }

  const Program& program_;
  KnownForms forms_;
  std::size_t step_ = 0;
};

}  // namespace

std::vector<CombiningStep> combining_steps(const Program& program) { return CombiningSteps(program).found; }

}  // namespace octet
