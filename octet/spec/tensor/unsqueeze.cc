// unsqueeze.cc: the meaning of Unsqueeze.
//
//   y = x with axes of length 1 inserted, so that they are y's axes of those numbers
//
// The axes are an attribute before opset 13 and an input since.
//
//   unsqueeze_c1  Axes are given, within [-rank, rank - 1] of y, and named once.
#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"

namespace octet {
namespace {

void infer_unsqueeze(Inference& i) {
  const IntegerList axes = list_from(i, i.opset() >= 13, 1, "axes");
  if (!axes.given) fail_constraint("unsqueeze_c1", "no axes are given");
  if (!i.has_shape(0) || !axes.values) return i.set_output(0, i.dtype(0), std::nullopt);
  const SymbolicShape& x = i.shape(0);
  std::vector<bool> inserted(x.size() + axes.values->size(), false);
  for (std::size_t axis : normalize_axes(*axes.values, inserted.size(), "unsqueeze_c1")) inserted[axis] = true;
  SymbolicShape y;
  std::size_t next = 0;
  for (const bool one : inserted) y.push_back(one ? Dim(1) : x[next++]);
  const bool vector = y.size() <= 1;
  i.set_output(0, i.dtype(0), std::move(y));
  if (const auto* elements = i.elements(0); elements && vector) i.set_elements(0, *elements);
}

void compute_unsqueeze(Call& call) { call.set_output(0, call.input(0).reshaped(call.output_shape(0))); }

}  // namespace

const Operator ops::kUnsqueeze = {
    .name = "Unsqueeze",
    .versions = {1, 11, 13, 21, 23, 24, 25},
    .formula = "y = x with axes of length 1 inserted",
    .constraints = {{"unsqueeze_c1", "axes are given, within [-rank, rank - 1] of y, and named once"}},
    .infer = infer_unsqueeze,
    .compute = compute_unsqueeze,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
    .renames = true,
};

}  // namespace octet
