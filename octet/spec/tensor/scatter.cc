// scatter.cc: the meaning of Scatter.
//
//   y = x, then y[i, indices[i, j, k], k] = updates[i, j, k]           for axis 1; so for the others
//
// in row-major order. Negative indices count from the end. Since opset 11 the standard calls it ScatterElements.
//
//   scatter_c1  indices are int32 or int64.
//   scatter_c2  axis is within [-rank, rank - 1].
//   scatter_c3  indices have the rank of x and are no longer than x but for the axis.
//   scatter_c4  Indices are within [-length, length - 1] of the axis.
//   scatter_c5  updates have x's type and the shape of indices.
#include "octet/spec/support/scatter.h"

#include "octet/spec/operators.h"
#include "octet/spec/support/element_indices.h"

namespace octet {
namespace {

void infer_scatter(Inference& i) {
  check_element_indices(i, "scatter");
  check_element_updates(i, "scatter");
  check_reduction(i, "scatter_c5");
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

void compute_scatter(Call& call) { scatter(call, element_positions(call), 1); }

}  // namespace

const Operator ops::kScatter = {
    .name = "Scatter",
    .versions = {9, 11},
    .formula = "y = x, then y[i, indices[i, j, k], k] = updates[i, j, k]",
    .constraints = {{"scatter_c1", "indices are int32 or int64"},
                    {"scatter_c2", "axis is within [-rank, rank - 1]"},
                    {"scatter_c3", "indices have the rank of x and are no longer than x but for the axis"},
                    {"scatter_c4", "indices are within [-length, length - 1] of the axis"},
                    {"scatter_c5", "updates have x's type and the shape of indices"}},
    .infer = infer_scatter,
    .compute = compute_scatter,
};

}  // namespace octet
