// bounds.h: how wide the registers of each accumulating step must be, and with which constants it requantizes in integers,
// from its actual weights, zero points and bias.
//
// For an output channel with weights w and inputs x of an integer type, all less their zero points, every product lies
// between its ends at the smallest and the largest x, one of which is not above and the other not below 0. So
//
//   final      bias + Sum min and bias + Sum max: both are reached. A sum that starts from the bias, or from the bias
//              with the zero-point correction (raw x times w), stays within them whatever the order of its products
//   any order  Sum min + min(0, bias) and Sum max + max(0, bias): the bias may come at any place
//   raw        Sum min and Sum max of raw x times w, the correction and the bias added last, outside the register
//   textbook   products * max |x| * max |w| of the types, which needs no weights
//
// Where x's zero point comes at run time, that is over every zero point of the type too. Equation (11) of
// docs/quantization/derivation.md.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "octet/analyze/fixed_multiplier.h"
#include "octet/base/progress.h"
#include "octet/engine/engine.h"
#include "octet/spec/integer_addition.h"
#include "octet/spec/integer_requantizer.h"
#include "octet/spec/step_kind.h"

namespace octet {

// Two weights, as stored, that are neighbours in the order of x86's kernels: per tap, input channels in pairs.
struct WeightPair {
  std::int64_t tap = 0, input_channel = 0;  // of the first
  std::int64_t first = 0, second = 0;

  bool operator==(const WeightPair&) const = default;
};

struct ChannelBounds {
  std::optional<std::int64_t> start;  // what a sum of raw x times w begins with: bias and correction, where known
  Interval final, any_order, raw;
  std::optional<Interval> observed;
  // ---- where the result is 8-bit
  std::optional<IntegerRequantizer> integer;  // equal to float32 for every accumulator
  std::optional<FractionInterval> equal;      // multipliers that are, under the rule of the options; M >= 0
  std::optional<FixedMultiplier> multiplier;  // the narrowest of them
  std::bitset<kRoundingCount> equal_rules;    // by Rounding: whether there is one under it
  std::int64_t ties = 0;                      // reachable accumulators at which the rule for ties decides
  std::int64_t differing = 0;  // where no multiplier is equal, accumulators that the nearest of 31 bits gets wrong
  // ----
  std::int64_t reachable = 0;                // accumulators of the final interval
  std::vector<WeightPair> saturating_pairs;  // whose products can leave 16 bits, where uint8 meets int8
};

// The widths of the registers of its requantizer. Requires a channel with one.
IntegerWidths widths_of(const ChannelBounds& channel);

struct StepBounds {
  std::size_t step = 0;
  std::int64_t products = 0;
  Interval final, any_order, raw, textbook;  // over all channels
  std::optional<Interval> observed;
  std::vector<ChannelBounds> channels;
  // One shift for all channels: the smallest at which each has an equal multiplier; nothing when there is none.
  std::optional<int> shared_shift;
  int shared_bits = 0;  // of the widest multiplier at that shift
  // Pairs of weights that the 16-bit step of x86 without VNNI adds up, and those that can leave 16 bits in it; only
  // where uint8 meets int8.
  std::int64_t pairs = 0, saturating_pairs = 0;
};

struct BoundsOptions {
  Rounding rounding = Rounding::kTiesEven;  // of the fixed-point requantization
  Progress progress = {};                   // in steps of the program
};

// The bounds of every step whose weights are known; of those too that are float because their activations have 16 bits:
// the sums of the integers that they dequantize.
std::vector<StepBounds> bounds(const Program& program, const BoundsOptions& options = {});

// Widens `observed` by the accumulators of one run. `values` holds every value of the program.
void observe(std::vector<StepBounds>& bounds, const Program& program, const NamedTensors& values,
             const Parallel& parallel);

// What requantizes without a sum of products: additions, multiplications and pools of whole images, behind a sum too.
struct CombiningStep {
  std::size_t step = 0;
  StepKind kind = StepKind::kOther;  // kAddition, kMultiplication or kPool
  std::variant<IntegerRequantizer, IntegerAddition> integer;
  std::optional<Interval> reach;  // of what a requantizer is given: the sum of a pool, the product of two numbers
  IntegerWidths widths;
};
// The steps whose numbers are known: for a pool, also the size of its image.
std::vector<CombiningStep> combining_steps(const Program& program);

}  // namespace octet
