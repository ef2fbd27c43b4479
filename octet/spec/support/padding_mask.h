// padding_mask.h: what com.microsoft's attention operators add to the scores, [batch, steps, total], for keys that don't count.
//
//   0                       key j counts for query i
//   filter                  mask_index says that it does not
//   lowest finite float32   causal, and j > past + i; the last query sees every key, which matters where total > past + steps
//
// mask_index says what counts, for keys j of all `total`, the past first:
//
//   [batch], [3 * batch + 2]             j < mask_index[b]
//   [2 * batch]                          mask_index[batch + b] <= j < mask_index[b]
//   [batch, 1], [1, 1]                   every key, unless total is 1
//   [batch, total]                       mask_index[b, j] > 0
//   [batch, steps, total]                mask_index[b, i, j] > 0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "octet/base/tensor.h"
#include "octet/spec/operator.h"

namespace octet {

struct PaddingMask {
  const Tensor* index;  // null: every key counts
  std::int64_t batch, steps, past, total;
  float filter;
  bool causal;
};

Tensor padding_mask(const PaddingMask& mask);

// Throws kConstraint with `label` unless input `index` can have one of the shapes.
void require_one_shape_of(const Inference& i, std::size_t index, std::initializer_list<SymbolicShape> shapes,
                          std::string_view label);

// Throws kConstraint with `label` unless input `index` broadcasts to [batch, heads, steps, total] in its first two dimensions.
void require_attention_bias(const Inference& i, std::size_t index, const SymbolicShape& scores, std::string_view label);

// Adds row (b, h, i) of an attention bias, [batch or 1, heads or 1, steps, total].
void add_attention_bias(const Tensor& bias, std::int64_t b, std::int64_t h, std::int64_t i, std::span<float> row);

}  // namespace octet
