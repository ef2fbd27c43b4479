// scatter_elements.cc: the meaning of ScatterElements.
//
//   y = x, then y[i, indices[i, j, k], k] = updates[i, j, k]           for axis 1; so for the others
//
// in row-major order; `reduction` (scatter.h) says what happens to what was there. Negative indices count from the end.
//
//   scatter_elements_c1  indices are int32 or int64.
//   scatter_elements_c2  axis is within [-rank, rank - 1].
//   scatter_elements_c3  indices have the rank of x and are no longer than x but for the axis.
//   scatter_elements_c4  Indices are within [-length, length - 1] of the axis.
//   scatter_elements_c5  updates have x's type and the shape of indices.
//   scatter_elements_c6  reduction is none, add, mul, max or min; x is a number where it is not none.
#include "octet/spec/operators.h"
#include "octet/spec/support/element_indices.h"
#include "octet/spec/support/scatter.h"

namespace octet {
namespace {

void infer_scatter_elements(Inference& i) {
  check_element_indices(i, "scatter_elements");
  check_element_updates(i, "scatter_elements");
  check_reduction(i, "scatter_elements_c6");
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

void compute_scatter_elements(Call& call) { scatter(call, element_positions(call), 1); }

}  // namespace

const Operator ops::kScatterElements = {
    .name = "ScatterElements",
    .versions = {11, 13, 16, 18},
    .formula = "y = x, then y[i, indices[i, j, k], k] = updates[i, j, k]",
    .constraints = {{"scatter_elements_c1", "indices are int32 or int64"},
                    {"scatter_elements_c2", "axis is within [-rank, rank - 1]"},
                    {"scatter_elements_c3", "indices have the rank of x and are no longer than x but for the axis"},
                    {"scatter_elements_c4", "indices are within [-length, length - 1] of the axis"},
                    {"scatter_elements_c5", "updates have x's type and the shape of indices"},
                    {"scatter_elements_c6",
                     "reduction is none, add, mul, max or min; x is a number where it is not none"}},
    .infer = infer_scatter_elements,
    .compute = compute_scatter_elements,
};

}  // namespace octet
