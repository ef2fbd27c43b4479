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
bool stages_fit(std::span<const work::Stage> stages, ValueId y, const Making& making);

// What a result of `type` is clamped to by the stages it meets first, which are taken off: whoever computes it clamps
// anyway.
Bounds take_clamps(std::span<const work::Stage>& stages, DType type);

class Stages {
 public:
  // Of results of `type`, with 8 bits. The stages fit, and none is a Requantize, a ToFloat or a Limit.
  Stages(std::span<const work::Stage> stages, DType type, const Making& making);

  bool empty() const { return actions_.empty(); }
  // In place, to `count` elements from number `element` of y on.
  void apply(std::uint8_t* bytes, std::int64_t count, std::int64_t element, const Places& places) const;

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
