// gather_nd.cc: the meaning of GatherND.
//
//   y[b..., i..., :] = x[b..., t0, ..., tq-1, :]           with (t0, ..., tq-1) = indices[b..., i..., :]
//
// b runs over the first batch_dims axes, which x and indices share. Negative indices count from the end.
//
//   gather_nd_c1  indices are int32 or int64.
//   gather_nd_c2  batch_dims is below both ranks, and the first batch_dims axes agree.
//   gather_nd_c3  A tuple has at least one number and at most as many as x has axes behind the batch.
//   gather_nd_c4  Every number is within [-length, length - 1] of its axis.
#include <algorithm>

#include "octet/spec/operators.h"
#include "octet/spec/support/storage.h"
#include "octet/spec/support/tuple_indices.h"

namespace octet {
namespace {

void infer_gather_nd(Inference& i) {
  i.set_output(0, i.dtype(0), check_tuple_indices(i, i.attributes().get_int("batch_dims", 0), "gather_nd"));
}

void compute_gather_nd(Call& call) {
  if (call.output(0).size() == 0) return;
  const std::int64_t batch = call.attributes().get_int("batch_dims", 0);
  const std::vector<std::int64_t> positions = slice_positions(call, batch);
  const std::int64_t size = slice_size(call, batch);
  visit_storage(call.input(0).dtype(), [&]<typename E>() {
    const E* x = stored<E>(call.input(0));
    E* y = mutable_stored<E>(call.output(0));
    for (const std::int64_t position : positions) y = std::copy_n(x + position, size, y);
  });
}

}  // namespace

const Operator ops::kGatherND = {
    .name = "GatherND",
    .versions = {11, 12, 13},
    .formula = "y[b..., i..., :] = x[b..., indices[b..., i..., :], :]",
    .constraints = {{"gather_nd_c1", "indices are int32 or int64"},
                    {"gather_nd_c2", "batch_dims is below both ranks, and the first batch_dims axes agree"},
                    {"gather_nd_c3",
                     "a tuple has at least one number and at most as many as x has axes behind the batch"},
                    {"gather_nd_c4", "every number is within [-length, length - 1] of its axis"}},
    .infer = infer_gather_nd,
    .compute = compute_gather_nd,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
};

}  // namespace octet
