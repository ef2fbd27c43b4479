// float_stages.h: the stages of an epilogue that work on floats.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "octet/engine/fast/kernel.h"
#include "octet/engine/fast/simd/float_products.h"

namespace octet::fast {

// Whether the stages can be applied behind the elements of y: every other value they read stands as y does.
bool float_stages_fit(std::span<const work::Stage> stages, ValueId y, const KernelContext& context);

class FloatStages {
 public:
  // The stages as one run sees them.
  class Bound {
   public:
    std::span<const FloatStage> stages() const { return {stages_.data(), count_}; }
    // From this element of y on, which is of the first channel.
    Bound from(std::int64_t element) const;
    // Makes these the stages of `whole` for elements from this one on that are all of this channel.
    void move_to(const Bound& whole, std::int64_t element, std::int64_t channel);

   private:
    friend class FloatStages;
    std::array<FloatStage, work::kMaxFloatStages> stages_;
    std::size_t count_ = 0;
  };

  // They fit; each is a Calculate or a Limit.
  explicit FloatStages(std::span<const work::Stage> stages);

  // Allocates nothing.
  Bound bind(const ValuePointers& places) const;
  // Whether the result is the same for -0 and +0.
  bool forget_sign_of_zero() const;
  bool differ_by_channel() const;

 private:
  struct Stage {
    FloatStage stage;
    std::vector<float> numbers;
    ValueId other = kNoValue;
  };
  std::vector<Stage> stages_;
};

}  // namespace octet::fast
