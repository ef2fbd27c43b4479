// squeeze.cc: the meaning of Squeeze.
//
//   y = x without the named axes, or without all axes of length 1 when none is named
//
// The axes are an attribute before opset 13 and an input since.
//
//   squeeze_c1  Axes are within [-rank, rank - 1] and named once.
//   squeeze_c2  The axes left out have length 1.
#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"

namespace octet {
namespace {

// The axes to leave out; absent when that is not known.
std::optional<std::vector<bool>> left_out(const Inference& i, const SymbolicShape& x) {
  const IntegerList axes = list_from(i, i.opset() >= 13, 1, "axes");
  std::vector<bool> out(x.size(), false);
  if (!axes.given || (axes.values && axes.values->empty())) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (!x[k].known()) return std::nullopt;
      out[k] = x[k].is(1);
    }
    return out;
  }
  if (!axes.values) return std::nullopt;
  for (std::size_t axis : normalize_axes(*axes.values, x.size(), "squeeze_c1")) {
    if (surely_different(x[axis], 1))
      fail_constraint("squeeze_c2", "axis {} of {} has length {}, wanted 1", axis, to_string(x), to_string(x[axis]));
    out[axis] = true;
  }
  return out;
}

void infer_squeeze(Inference& i) {
  i.set_output(0, i.dtype(0), std::nullopt);
  if (i.has_shape(0)) {
    const SymbolicShape& x = i.shape(0);
    if (const auto out = left_out(i, x)) {
      SymbolicShape y;
      for (std::size_t k = 0; k < x.size(); ++k)
        if (!(*out)[k]) y.push_back(x[k]);
      i.set_output(0, i.dtype(0), std::move(y));
    }
  }
  if (const auto* elements = i.elements(0)) i.set_elements(0, *elements);
}

void compute_squeeze(Call& call) { call.set_output(0, call.input(0).reshaped(call.output_shape(0))); }

}  // namespace

const Operator ops::kSqueeze = {
    .name = "Squeeze",
    .versions = {1, 11, 13, 21, 23, 24, 25},
    .formula = "y = x without axes of length 1",
    .constraints = {{"squeeze_c1", "axes are within [-rank, rank - 1] and named once"},
                    {"squeeze_c2", "the axes left out have length 1"}},
    .infer = infer_squeeze,
    .compute = compute_squeeze,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
    .renames = true,
};

}  // namespace octet
