// one_hot.cc: the meaning of OneHot.
//
//   y[i..., k, j...] = values[1] where k is indices[i..., j...], values[0] elsewhere
//
// k runs over a new axis of length `depth`, at `axis` of y. Since opset 11 negative indices count from the end; an
// index out of range gives values[0] everywhere. Indices and depth that are not integers are truncated.
//
//   one_hot_c1  indices and depth are floating point or integers of 8 to 64 bits.
//   one_hot_c2  depth is one positive number.
//   one_hot_c3  values has two elements.
//   one_hot_c4  axis is within [-rank, rank - 1] of y.
#include <algorithm>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/storage.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

Dim depth(const Inference& i) {
  if (const Tensor* constant = i.constant(1)) {
    if (constant->size() != 1) fail_constraint("one_hot_c2", "depth has {} elements, wanted 1", constant->size());
    const std::int64_t value = convert(*constant, DType::kInt64).int_at(0);
    if (value <= 0) fail_constraint("one_hot_c2", "depth is {}, wanted a positive number", value);
    return value;
  }
  const std::vector<Dim>* elements = i.elements(1);
  return elements && elements->size() == 1 ? (*elements)[0] : Dim();
}

void infer_one_hot(Inference& i) {
  require_type(i, 0, TypeKind::kNumeric, "one_hot_c1");
  require_type(i, 1, TypeKind::kNumeric, "one_hot_c1");
  require_shape(i, 2, {2}, "one_hot_c3");
  const Dim length = depth(i);
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(2), std::nullopt);
  SymbolicShape y = i.shape(0);
  const std::size_t axis = normalize_axis(i.attributes().get_int("axis", -1), y.size() + 1, "one_hot_c4");
  y.insert(y.begin() + static_cast<std::ptrdiff_t>(axis), length);
  i.set_output(0, i.dtype(2), std::move(y));
}

void compute_one_hot(Call& call) {
  const Shape& shape = call.output_shape(0);
  const std::size_t axis = normalize_axis(call.attributes().get_int("axis", -1), shape.size(), "one_hot_c4");
  const std::int64_t length = shape[axis];
  const std::int64_t inner = strides_of(shape)[axis];
  const Tensor indices = convert(call.input(0), DType::kInt64);
  Tensor& y = call.output(0);
  visit_storage(y.dtype(), [&]<typename E>() {
    const E off = stored<E>(call.input(2))[0], on = stored<E>(call.input(2))[1];
    E* out = mutable_stored<E>(y);
    std::fill_n(out, y.size(), off);
    for (std::int64_t n = 0; n < indices.size(); ++n) {
      const std::int64_t given = indices.int_at(n);
      const std::int64_t index = call.opset() >= 11 ? from_start(given, length) : given;
      if (index >= 0 && index < length) out[(n / inner * length + index) * inner + n % inner] = on;
    }
  });
}

}  // namespace

const Operator ops::kOneHot = {
    .name = "OneHot",
    .versions = {9, 11, 28},
    .turns = {11},
    .formula = "y[i..., k, j...] = values[1] where k is indices[i..., j...], values[0] elsewhere",
    .constraints = {{"one_hot_c1", "indices and depth are floating point or integers of 8 to 64 bits"},
                    {"one_hot_c2", "depth is one positive number"},
                    {"one_hot_c3", "values has two elements"},
                    {"one_hot_c4", "axis is within [-rank, rank - 1] of y"}},
    .infer = infer_one_hot,
    .compute = compute_one_hot,
    .halves = Halves::kAsIs,
};

}  // namespace octet
