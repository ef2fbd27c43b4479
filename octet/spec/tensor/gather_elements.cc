// gather_elements.cc: the meaning of GatherElements.
//
//   y[i, j, k] = x[i, indices[i, j, k], k]           for axis 1; so for the others
//
// Negative indices count from the end. y has the shape of indices.
//
//   gather_elements_c1  indices are int32 or int64.
//   gather_elements_c2  axis is within [-rank, rank - 1].
//   gather_elements_c3  indices have the rank of x and are no longer than x but for the axis.
//   gather_elements_c4  Indices are within [-length, length - 1] of the axis.
#include "octet/spec/operators.h"
#include "octet/spec/support/element_indices.h"
#include "octet/spec/support/storage.h"

namespace octet {
namespace {

void infer_gather_elements(Inference& i) {
  check_element_indices(i, "gather_elements");
  i.set_output(0, i.dtype(0), i.input(1).shape);
}

void compute_gather_elements(Call& call) {
  const std::vector<std::int64_t> positions = element_positions(call);
  visit_storage(call.input(0).dtype(), [&]<typename E>() {
    const E* x = stored<E>(call.input(0));
    E* y = mutable_stored<E>(call.output(0));
    for (std::size_t n = 0; n < positions.size(); ++n) y[n] = x[positions[n]];
  });
}

}  // namespace

const Operator ops::kGatherElements = {
    .name = "GatherElements",
    .versions = {11, 13},
    .formula = "y[i, j, k] = x[i, indices[i, j, k], k]",
    .constraints = {{"gather_elements_c1", "indices are int32 or int64"},
                    {"gather_elements_c2", "axis is within [-rank, rank - 1]"},
                    {"gather_elements_c3", "indices have the rank of x and are no longer than x but for the axis"},
                    {"gather_elements_c4", "indices are within [-length, length - 1] of the axis"}},
    .infer = infer_gather_elements,
    .compute = compute_gather_elements,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved, Role::kIndex},
    .outputs = {Role::kY},
};

}  // namespace octet
