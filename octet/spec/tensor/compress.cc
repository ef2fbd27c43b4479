// compress.cc: the meaning of Compress.
//
//   y = the slices x[.., k, ..] of axis for which condition[k] holds, in order
//
// Without axis, x is flattened first. What condition does not reach is left out.
//
//   compress_c1  condition is bool, [K], and not longer than the axis.
//   compress_c2  axis is within [-rank, rank - 1].
#include <algorithm>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/storage.h"

namespace octet {
namespace {

// The number of elements of a shape, as far as it is known.
Dim flat_length(const SymbolicShape& shape) {
  Dim length = 1;
  for (const Dim& dim : shape) length = length * dim;
  return length;
}

// The shape that condition selects from, and on which axis.
std::pair<SymbolicShape, std::size_t> compressed_from(const Attributes& attributes, const SymbolicShape& x) {
  if (!attributes.has("axis")) return {{flat_length(x)}, 0};
  return {x, normalize_axis(attributes.get_int("axis", 0), x.size(), "compress_c2")};
}

void infer_compress(Inference& i) {
  if (i.dtype(1) != DType::kBool) fail_constraint("compress_c1", "condition is {}, wanted bool", name(i.dtype(1)));
  require_rank(i, 1, 1, "compress_c1");
  const bool flat = !i.attributes().has("axis");
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), flat ? std::optional(SymbolicShape(1)) : std::nullopt);
  auto [y, axis] = compressed_from(i.attributes(), i.shape(0));
  const Dim& length = y[axis];
  if (i.has_shape(1) && i.shape(1)[0].known() && length.known() && i.shape(1)[0].value() > length.value())
    fail_constraint("compress_c1", "condition has {} elements, the axis {}", i.shape(1)[0].value(), length.value());
  const Tensor* condition = i.constant(1);
  y[axis] = condition ? Dim(std::ranges::count(condition->as<bool>(), true)) : Dim();
  i.set_output(0, i.dtype(0), std::move(y));
}

void compute_compress(Call& call) {
  const auto [shape, axis] = compressed_from(call.attributes(), symbolic(call.input(0).shape()));
  const Lanes lanes(*concrete(shape), axis);
  const std::span<const bool> condition = call.input(1).as<bool>();
  if (call.output(0).size() == 0) return;
  visit_storage(call.output_dtype(0), [&]<typename E>() {
    const E* x = stored<E>(call.input(0));
    E* y = mutable_stored<E>(call.output(0));
    for (std::int64_t outer = 0; outer < lanes.count / lanes.step; ++outer)
      for (std::size_t k = 0; k < condition.size(); ++k)
        if (condition[k])
          y = std::copy_n(x + (outer * lanes.length + static_cast<std::int64_t>(k)) * lanes.step, lanes.step, y);
  });
}

}  // namespace

const Operator ops::kCompress = {
    .name = "Compress",
    .versions = {9, 11, 28},
    .formula = "y = the slices x[.., k, ..] of axis for which condition[k] holds",
    .constraints = {{"compress_c1", "condition is bool, [K], and not longer than the axis"},
                    {"compress_c2", "axis is within [-rank, rank - 1]"}},
    .infer = infer_compress,
    .compute = compute_compress,
    .halves = Halves::kAsIs,
};

}  // namespace octet
