// prove_bounds.h: the bounds of a whole program, beside what samples reach.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octet/analyze/bounds.h"
#include "octet/engine/engine.h"
#include "octet/engine/input_batches.h"

namespace octet {

// How many channels have a multiplier that is equal to the float32 requantization under a rounding rule.
struct EqualChannels {
  std::string_view rule;
  std::int64_t equal = 0, channels = 0;  // channels: those that requantize
};

struct ProveBoundsOptions {
  Rounding rounding = Rounding::kTiesEven;  // of the fixed-point requantization
  std::optional<int> max_bits;              // what an accumulator may need
  InputBatches batches;                     // what `observed` is measured on; empty: nothing is
  bool needs_sums = false;                  // a program without a sum of products is refused
  std::string name = "the model";           // in messages
  Progress progress;                        // in steps of the program
  Progress sample_progress;                 // in samples
};

struct ProvenBounds {
  std::vector<StepBounds> steps;         // those with a sum of products
  std::vector<CombiningStep> combining;  // the others that requantize
  Rounding rounding = Rounding::kTiesEven;
  std::int64_t samples = 0;
  std::optional<int> max_bits;

  int accumulator_bits() const;  // of the widest accumulator; 0 where there is none
  bool passed() const { return !max_bits || accumulator_bits() <= *max_bits; }
  // By rule, in the order of rounding_names().
  std::vector<EqualChannels> equal_by_rule() const;
};

// Throws kUsage where no step's weights and zero points are known before it runs. `max_bits`, `batches` and `needs_sums` are about
// steps with a sum of products: with one of these it also throws where there is no such step.
ProvenBounds prove_bounds(const Engine& engine, const ProveBoundsOptions& options = {});

}  // namespace octet
