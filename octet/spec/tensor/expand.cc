// expand.cc: the meaning of Expand.
//
//   y = x broadcast, under numpy's rules, with the shape given by the second input
//
//   expand_c1  The shape is an int64 vector of dimensions that are not negative.
//   expand_c2  x broadcasts with that shape.
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/view.h"

namespace octet {
namespace {

void infer_expand(Inference& i) {
  if (i.dtype(1) != DType::kInt64) fail_constraint("expand_c1", "the shape is {}, wanted int64", name(i.dtype(1)));
  require_rank(i, 1, 1, "expand_c1");
  const std::optional<std::vector<Dim>> requested = dims_from(i, 1);
  if (!requested || !i.has_shape(0)) return i.set_output(0, i.dtype(0), std::nullopt);
  for (const Dim& dim : *requested)
    if (dim.known() && dim.value() < 0) fail_constraint("expand_c1", "dimension {} is negative", dim.value());
  std::optional<SymbolicShape> y = broadcast(i.shape(0), *requested);
  if (!y)
    fail_constraint("expand_c2", "x of shape {} does not broadcast with {}", to_string(i.shape(0)),
                    to_string(*requested));
  i.set_output(0, i.dtype(0), std::move(y));
}

void compute_expand(Call& call) {
  const Shape& shape = call.output_shape(0);
  copy_elements(call.parallel(), shape, call.input(0), {.strides = broadcast_strides(call.input(0).shape(), shape)},
                call.output(0), {.strides = strides_of(shape)});
}

}  // namespace

const Operator ops::kExpand = {
    .name = "Expand",
    .versions = {8, 13},
    .formula = "y = x broadcast with the given shape",
    .constraints = {{"expand_c1", "the shape is an int64 vector of dimensions that are not negative"},
                    {"expand_c2", "x broadcasts with that shape"}},
    .infer = infer_expand,
    .compute = compute_expand,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
};

}  // namespace octet
