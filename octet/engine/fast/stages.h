// stages.h: the stages of an epilogue that work on bytes: clamps, tables, and sums or products with another value.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "octet/engine/fast/combination.h"
#include "octet/engine/fast/kernel.h"

namespace octet::fast {

// Whether the stages can be applied behind the elements of y: every other value they read stands as y does.
bool stages_fit(std::span<const work::Stage> stages, ValueId y, const KernelContext& context);

// The bounds to which the first stages clamp a result of `type`, and the stages after them. Kernels clamp when they store, so the
// first stages cost nothing.
struct SplitStages {
  Bounds bounds;
  std::span<const work::Stage> rest;
};
SplitStages split_clamps(std::span<const work::Stage> stages, DType type);

class Stages {
 public:
  // Results have `type`, an 8-bit type. The stages fit, and none is a Requantize, a ToFloat or a Limit.
  Stages(std::span<const work::Stage> stages, DType type, const KernelContext& context);

  bool empty() const { return actions_.empty(); }
  // In place, to `count` elements from number `element` of y on.
  void apply(std::uint8_t* bytes, std::int64_t count, std::int64_t element, const ValuePointers& places) const;

 private:
  struct Clamping {
    Bounds bounds;
    bool is_signed;
  };
  struct Combining {
    Combination combination;
    ValueId other;
    bool other_first;
  };
  using Action = std::variant<Clamping, LookupTable, Combining>;

  const Elements& elements_;
  std::vector<Action> actions_;
};

}  // namespace octet::fast
