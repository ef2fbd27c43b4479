// scatter_nd.cc: the meaning of ScatterND.
//
//   y = x, then y[t0, ..., tq-1, :] = updates[i..., :]           with (t0, ..., tq-1) = indices[i..., :]
//
// for every i in row-major order; `reduction` (scatter.h) says what happens to what was there. Negative indices count
// from the end.
//
//   scatter_nd_c1  indices are int32 or int64; updates are of x's type.
//   scatter_nd_c2  x and indices are not scalars.
//   scatter_nd_c3  A tuple has at least one number and at most as many as x has axes.
//   scatter_nd_c4  Every number is within [-length, length - 1] of its axis.
//   scatter_nd_c5  updates have the shape of indices without its last axis, followed by x's axes behind a tuple.
//   scatter_nd_c6  reduction is none, add, mul, max or min; x is a number where it is not none.
#include "octet/spec/operators.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/scatter.h"
#include "octet/spec/support/tuple_indices.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_scatter_nd(Inference& i) {
  require_same_type(i, 0, 2, "scatter_nd_c1");
  check_reduction(i, "scatter_nd_c6");
  const std::optional<SymbolicShape> slices = check_tuple_indices(i, 0, "scatter_nd");
  if (slices) require_shape(i, 2, *slices, "scatter_nd_c5");
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

void compute_scatter_nd(Call& call) { scatter(call, slice_positions(call, 0), slice_size(call, 0)); }

}  // namespace

const Operator ops::kScatterND = {
    .name = "ScatterND",
    .versions = {11, 13, 16, 18},
    .formula = "y = x, then y[indices[i..., :], :] = updates[i..., :]",
    .constraints = {{"scatter_nd_c1", "indices are int32 or int64; updates are of x's type"},
                    {"scatter_nd_c2", "x and indices are not scalars"},
                    {"scatter_nd_c3", "a tuple has at least one number and at most as many as x has axes"},
                    {"scatter_nd_c4", "every number is within [-length, length - 1] of its axis"},
                    {"scatter_nd_c5",
                     "updates have the shape of indices without its last axis, followed by x's axes behind a tuple"},
                    {"scatter_nd_c6", "reduction is none, add, mul, max or min; x is a number where it is not none"}},
    .infer = infer_scatter_nd,
    .compute = compute_scatter_nd,
};

}  // namespace octet
