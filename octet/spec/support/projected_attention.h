// projected_attention.h: the attention under com.microsoft Attention and QAttention, whose queries, keys and values lie side by
// side in one projection.
//
//   projected = [q, k, v]                       [batch, steps, query + query + value columns]
//   output, present = attention of q, past and k, past and v                            (attend.h)
//
// with num_heads heads, `scale`, 1 / sqrt(head size) where that is 0, and what padding_mask.h adds to the scores. A row where no
// key counts is not special: its weights are what softmax makes of it, NaN for a mask_filter_value of -inf.
#pragma once

#include "octet/spec/operator.h"

namespace octet {

// Numbers of inputs; 0 is one that the operator lacks.
struct ProjectedInputs {
  std::size_t mask, past, bias;
  std::size_t real;  // has the type of the outputs
};

// [batch, steps, hidden] and present; x is [batch, steps, any], and `query` and `value` are widths of the projection.
// Throws kConstraint with `label` for a past, mask or bias that does not fit.
void infer_projected_attention(Inference& i, const ProjectedInputs& inputs, const SymbolicShape& x, const Dim& query,
                               const Dim& value, std::string_view past_label, std::string_view mask_label);

// `value` is the width of v. Writes output 0, and output 1 where it is wanted.
void attend_projected(Call& call, const ProjectedInputs& inputs, const Tensor& projected, std::int64_t value);

}  // namespace octet
