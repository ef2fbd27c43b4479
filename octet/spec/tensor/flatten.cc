// flatten.cc: the meaning of Flatten.
//
//   y = x as a matrix: the axes before `axis` make its rows, the others its columns
//
//   flatten_c1  axis is within [-rank, rank].
#include "octet/spec/check.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

void infer_flatten(Inference& i) {
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), SymbolicShape(2));
  const SymbolicShape& x = i.shape(0);
  const auto rank = static_cast<std::int64_t>(x.size());
  const std::int64_t axis = i.attributes().get_int("axis", 1);
  if (axis < -rank || axis > rank) fail_constraint("flatten_c1", "axis is {}, wanted {} to {}", axis, -rank, rank);
  const auto split = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  SymbolicShape y = {1, 1};
  for (std::size_t k = 0; k < x.size(); ++k) y[k < split ? 0 : 1] = y[k < split ? 0 : 1] * x[k];
  i.set_output(0, i.dtype(0), std::move(y));
}

void compute_flatten(Call& call) { call.set_output(0, call.input(0).reshaped(call.output_shape(0))); }

}  // namespace

const Operator ops::kFlatten = {
    .name = "Flatten",
    .versions = {1, 9, 11, 13, 21, 23, 24, 25},
    .formula = "y = x as a matrix, the axes before `axis` as rows",
    .constraints = {{"flatten_c1", "axis is within [-rank, rank]"}},
    .infer = infer_flatten,
    .compute = compute_flatten,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
    .renames = true,
};

}  // namespace octet
