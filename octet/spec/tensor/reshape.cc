// reshape.cc: the meaning of Reshape.
//
//   y has the elements of x, in their order, under another shape
//
// The shape is an attribute before opset 5 and an input since. A dimension 0 copies x's of the same axis, unless
// allowzero is 1; one dimension may be -1 and takes what the others leave.
//
//   reshape_c1  The shape is an int64 vector.
//   reshape_c2  Dimensions are not below -1, at most one is -1, and none is 0 beside it where allowzero is 1.
//   reshape_c3  A 0 that copies stands for an axis that x has.
//   reshape_c4  x and y have the same number of elements.
#include <algorithm>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/require.h"

namespace octet {
namespace {

// A product of dimensions: its known part, and the factors that are not known.
struct Product {
  Dim known = 1;
  std::vector<Dim> unknown;

  void multiply(const Dim& dim) {
    if (dim.known())
      known = known * dim;
    else
      unknown.push_back(dim);
  }
};

void cancel_symbols(Product& a, Product& b) {
  std::erase_if(a.unknown, [&](const Dim& dim) {
    const auto match = dim.is_symbol() ? std::find(b.unknown.begin(), b.unknown.end(), dim) : b.unknown.end();
    if (match == b.unknown.end()) return false;
    b.unknown.erase(match);
    return true;
  });
}

std::optional<std::vector<Dim>> requested_shape(const Inference& i) {
  if (i.opset() < 5) return symbolic(i.attributes().get_ints("shape"));
  if (i.dtype(1) != DType::kInt64) fail_constraint("reshape_c1", "the shape is {}, wanted int64", name(i.dtype(1)));
  require_rank(i, 1, 1, "reshape_c1");
  return dims_from(i, 1);
}

SymbolicShape resolve_shape(const Inference& i, const std::vector<Dim>& requested) {
  const bool allow_zero = i.attributes().get_int("allowzero", 0) != 0;
  const SymbolicShape* x = i.has_shape(0) ? &i.shape(0) : nullptr;
  Product before, after;  // of the dimensions that are not copied
  std::vector<bool> copied(x ? x->size() : 0, false);
  std::optional<std::size_t> rest;
  bool zero = false;
  SymbolicShape y = requested;
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (y[k].is(-1)) {
      if (rest) fail_constraint("reshape_c2", "more than one dimension of {} is -1", to_string(requested));
      rest = k;
    } else if (y[k].known() && y[k].value() < 0) {
      fail_constraint("reshape_c2", "dimension {} in {} is negative", y[k].value(), to_string(requested));
    } else if (y[k].is(0) && !allow_zero) {
      if (x && k >= x->size())
        fail_constraint("reshape_c3", "0 on axis {} copies from {}, which has no such axis", k, to_string(*x));
      if (x) copied[k] = true;
      y[k] = x ? (*x)[k] : Dim();
    } else {
      zero = zero || y[k].is(0);
      after.multiply(y[k]);
    }
  }
  if (rest && zero)
    fail_constraint("reshape_c2", "shape {} has both -1 and 0, and allowzero is 1", to_string(requested));
  if (rest) y[*rest] = Dim();
  if (!x) return y;

  for (std::size_t k = 0; k < x->size(); ++k)
    if (!copied[k]) before.multiply((*x)[k]);
  cancel_symbols(before, after);
  const bool all_known = before.unknown.empty() && after.unknown.empty();
  const auto mismatch = [&] {
    fail_constraint("reshape_c4", "shape {} does not hold the elements of {}", to_string(requested), to_string(*x));
  };
  if (!rest) {
    if (all_known && before.known != after.known) mismatch();
  } else if (all_known) {
    if (after.known.is(0) || before.known.value() % after.known.value() != 0) mismatch();
    y[*rest] = before.known.value() / after.known.value();
  } else if (before.unknown.size() == 1 && after.unknown.empty() && before.known == after.known) {
    y[*rest] = before.unknown[0];
  }
  return y;
}

void infer_reshape(Inference& i) {
  const std::optional<std::vector<Dim>> requested = requested_shape(i);
  if (!requested) return i.set_output(0, i.dtype(0), std::nullopt);
  SymbolicShape y = resolve_shape(i, *requested);
  const bool vector = y.size() <= 1;
  i.set_output(0, i.dtype(0), std::move(y));
  if (const auto* elements = i.elements(0); elements && vector) i.set_elements(0, *elements);
}

void compute_reshape(Call& call) { call.set_output(0, call.input(0).reshaped(call.output_shape(0))); }

}  // namespace

const Operator ops::kReshape = {
    .name = "Reshape",
    .versions = {1, 5, 13, 14, 19, 21, 23, 24, 25},
    .formula = "y = the elements of x under another shape",
    .constraints = {{"reshape_c1", "the shape is an int64 vector"},
                    {"reshape_c2",
                     "dimensions are not below -1, at most one is -1, and none is 0 beside it where allowzero is 1"},
                    {"reshape_c3", "a 0 that copies stands for an axis that x has"},
                    {"reshape_c4", "x and y have the same number of elements"}},
    .infer = infer_reshape,
    .compute = compute_reshape,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
    .renames = true,
};

}  // namespace octet
