// transpose.cc: the meaning of Transpose.
//
//   axis k of y is axis perm[k] of x; without perm the axes are reversed
//
//   transpose_c1  perm names every axis of x once.
#include <algorithm>
#include <numeric>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/view.h"

namespace octet {
namespace {

std::vector<std::size_t> axis_order(const Attributes& attributes, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  if (!attributes.has("perm")) return order;
  const std::vector<std::int64_t> perm = attributes.get_ints("perm");
  if (perm.size() != rank) fail_constraint("transpose_c1", "perm has {} axes, x has {}", perm.size(), rank);
  return normalize_axes(perm, rank, "transpose_c1");
}

void infer_transpose(Inference& i) {
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), std::nullopt);
  SymbolicShape y;
  for (std::size_t axis : axis_order(i.attributes(), i.shape(0).size())) y.push_back(i.shape(0)[axis]);
  const bool vector = y.size() <= 1;
  i.set_output(0, i.dtype(0), std::move(y));
  if (const auto* elements = i.elements(0); elements && vector) i.set_elements(0, *elements);
}

void compute_transpose(Call& call) {
  const Shape& shape = call.input(0).shape();
  copy_permuted(call, shape, axis_order(call.attributes(), shape.size()));
}

}  // namespace

const Operator ops::kTranspose = {
    .name = "Transpose",
    .versions = {1, 13, 21, 23, 24, 25},
    .formula = "axis k of y is axis perm[k] of x",
    .constraints = {{"transpose_c1", "perm names every axis of x once"}},
    .infer = infer_transpose,
    .compute = compute_transpose,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
};

}  // namespace octet
