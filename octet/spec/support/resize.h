// resize.h: a tensor resampled along each of its axes.
//
//   y[o1, o2, ...] = Sum over the neighbours i1 of o1, i2 of o2, ... of w1 * w2 * ... * x[i1, i2, ...]
//
// in float32 with weights of float32, in float64 for float64; integers truncate toward zero and saturate at the end. An
// output for which any axis looks outside is the extrapolation value.
#pragma once

#include <vector>

#include "octet/base/parallel.h"
#include "octet/base/tensor.h"
#include "octet/spec/support/resample.h"

namespace octet {

// One entry of `axes` per axis of x; y has their output sizes. x holds numbers or bool.
void resize(const Parallel& parallel, const Tensor& x, const std::vector<ResampledAxis>& axes, const ResampleRule& rule,
            float extrapolation, Tensor& y);

}  // namespace octet
