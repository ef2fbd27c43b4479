// epilogue.h: from the accumulators of a convolution or a matrix product to what is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "octet/engine/fast/stages.h"

namespace octet::fast {

// Some rows of accumulators, and where their results go. y is seen as rows of all channels.
struct SumBlock {
  SumMatrix sums;                  // a row for each row of y, a column for each channel
  std::int64_t first_channel = 0;  // that of column 0
  std::int64_t element = 0;        // of y: the number of the first result, in the order in which y stands
  std::byte* y = nullptr;          // where that one stands
  std::int64_t y_step = 0;         // from row to row, in elements
};

class Epilogue {
 public:
  // `channels` is the length of y's rows. The stages fit (stages_fit); their first is a Requantize or a ToFloat (behind
  // which only limits stand), or there are none: y are the accumulators then.
  Epilogue(const std::vector<work::Stage>& stages, const KernelContext& context, std::int64_t channels);

  // What apply wants as scale: the value of ToFloat::scale, or 1.
  float scale(const ValuePointers& places) const;
  // Where sums become bytes, and every int32 times a multiplier stays an int32: how, and what follows. Elsewhere null
  // multipliers.
  Requantization requantization() const;
  void apply_behind(std::uint8_t* y, std::int64_t count, std::int64_t element, const ValuePointers& places) const;
  // Does not allocate. Only ToFloat uses `scale`: the one of x, where the caller has quantized x itself.
  void apply(const SumBlock& block, float scale, const ValuePointers& places) const;

 private:
  struct ToBytes {
    std::vector<float> multipliers;  // one for each channel
    bool in_int32;                   // all products by them are
    std::int32_t zero_point;
    Bounds bounds;
    Stages behind;
  };
  struct ToFloats {
    std::vector<float> multipliers, bias;  // one for each channel; no bias is an empty one
    ValueId scale;
    Limits limits;
  };
  struct AsTheyAre {};
  using Result = std::variant<AsTheyAre, ToBytes, ToFloats>;

  static Result result_of(std::span<const work::Stage> stages, const KernelContext& context, std::int64_t channels);
  void store(const AsTheyAre& result, const SumBlock& block, float scale, const ValuePointers& places) const;
  void store(const ToBytes& result, const SumBlock& block, float scale, const ValuePointers& places) const;
  void store(const ToFloats& result, const SumBlock& block, float scale, const ValuePointers& places) const;

  const Elements& elements_;
  Result result_;
};

}  // namespace octet::fast
