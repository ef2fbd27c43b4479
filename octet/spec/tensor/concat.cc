// concat.cc: the meaning of Concat.
//
//   y = x0, x1, ... one after the other along `axis`
//
//   concat_c1  The inputs are of one type.
//   concat_c2  axis is given (it is 1 before opset 4 when it is not) and within [-rank, rank - 1].
//   concat_c3  The inputs have one rank and, but for the axis, one shape.
#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/types.h"
#include "octet/spec/support/view.h"

namespace octet {
namespace {

std::size_t concat_axis(int opset, const Attributes& attributes, std::size_t rank) {
  if (opset >= 4 && !attributes.has("axis")) fail_constraint("concat_c2", "axis is not given");
  return normalize_axis(attributes.get_int("axis", 1), rank, "concat_c2");
}

// Fills in what `x` knows of the common dimensions; the lengths along the axis are added up.
void join(SymbolicShape& y, const SymbolicShape& x, std::size_t axis, std::size_t input) {
  if (x.size() != y.size())
    fail_constraint("concat_c3", "input {} has rank {}, an earlier one {}", input, x.size(), y.size());
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (k == axis) {
      y[k] = y[k] + x[k];
    } else if (surely_different(y[k], x[k])) {
      fail_constraint("concat_c3", "input {} of shape {} does not fit {} along axis {}", input, to_string(x),
                      to_string(y), axis);
    } else if (x[k].known() || (x[k].is_symbol() && !y[k].known())) {
      y[k] = x[k];
    }
  }
}

// For integer vectors computed from shapes. A few unknown elements among known ones are worth keeping.
void propagate_vectors(Inference& i) {
  constexpr std::int64_t kMostUnknown = 64;
  std::vector<Dim> all;
  for (std::size_t n = 0; n < i.input_count(); ++n) {
    if (!i.has_shape(n) || i.shape(n).size() != 1) return;
    const std::vector<Dim>* elements = i.elements(n);
    const Dim& count = i.shape(n)[0];
    if (elements)
      all.insert(all.end(), elements->begin(), elements->end());
    else if (count.known() && count.value() <= kMostUnknown)
      all.resize(all.size() + static_cast<std::size_t>(count.value()));
    else
      return;
  }
  i.set_elements(0, std::move(all));
}

void infer_concat(Inference& i) {
  std::optional<SymbolicShape> y;
  bool all_ranks_known = true;
  std::size_t axis = 0;
  for (std::size_t n = 0; n < i.input_count(); ++n) {
    require_same_type(i, 0, n, "concat_c1");
    if (!i.has_shape(n)) {
      all_ranks_known = false;
    } else if (!y) {
      y = i.shape(n);
      axis = concat_axis(i.opset(), i.attributes(), y->size());
    } else {
      join(*y, i.shape(n), axis, n);
    }
  }
  if (y && !all_ranks_known) (*y)[axis] = Dim();
  i.set_output(0, i.dtype(0), std::move(y));
  if (i.dtype(0) == DType::kInt64 || i.dtype(0) == DType::kInt32) propagate_vectors(i);
}

void compute_concat(Call& call) {
  const std::size_t axis = concat_axis(call.opset(), call.attributes(), call.output_shape(0).size());
  View to = {.strides = strides_of(call.output_shape(0))};
  for (std::size_t n = 0; n < call.input_count(); ++n) {
    const Tensor& x = call.input(n);
    copy_elements(call.parallel(), x.shape(), x, {.strides = strides_of(x.shape())}, call.output(0), to);
    to.offset += x.shape()[axis] * to.strides[axis];
  }
}

}  // namespace

const Operator ops::kConcat = {
    .name = "Concat",
    .versions = {1, 4, 11, 13},
    .turns = {4},
    .formula = "y = x0, x1, ... one after the other along `axis`",
    .constraints = {{"concat_c1", "the inputs are of one type"},
                    {"concat_c2", "axis is given (it is 1 before opset 4 when it is not) and within [-rank, rank - 1]"},
                    {"concat_c3", "the inputs have one rank and, but for the axis, one shape"}},
    .infer = infer_concat,
    .compute = compute_concat,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved},
    .outputs = {Role::kY},
    .repeated = 1,
};

}  // namespace octet
