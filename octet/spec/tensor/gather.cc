// gather.cc: the meaning of Gather.
//
//   y[a..., i..., b...] = x[a..., indices[i...], b...]           the index stands on `axis` of x
//
// Negative indices count from the end.
//
//   gather_c1  indices are int32 or int64.
//   gather_c2  axis is within [-rank, rank - 1].
//   gather_c3  Indices are within [-length, length - 1] of the axis.
#include <algorithm>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/grain.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/storage.h"

namespace octet {
namespace {

// For an integer vector computed from shapes.
void propagate_gathered(Inference& i) {
  const std::vector<Dim>* elements = i.elements(0);
  const auto indices = known_integers(i, 1);
  if (!elements || !indices || !i.has_shape(1) || i.shape(1).size() > 1) return;
  const auto size = static_cast<std::int64_t>(elements->size());
  std::vector<Dim> taken;
  for (std::int64_t index : *indices) {
    if (index < -size || index >= size)
      fail_constraint("gather_c3", "index {}, wanted {} to {}", index, -size, size - 1);
    taken.push_back((*elements)[static_cast<std::size_t>(from_start(index, size))]);
  }
  i.set_elements(0, std::move(taken));
}

void infer_gather(Inference& i) {
  require_index_type(i, 1, "gather_c1");
  i.set_output(0, i.dtype(0), std::nullopt);
  if (!i.has_shape(0)) return;
  const SymbolicShape& x = i.shape(0);
  const std::size_t axis = normalize_axis(i.attributes().get_int("axis", 0), x.size(), "gather_c2");
  if (const Tensor* indices = i.constant(1); indices && x[axis].known())
    check_indices(*indices, x[axis].value(), "gather_c3");
  if (!i.has_shape(1)) return;
  SymbolicShape y(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis));
  y.insert(y.end(), i.shape(1).begin(), i.shape(1).end());
  y.insert(y.end(), x.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.end());
  i.set_output(0, i.dtype(0), std::move(y));
  if (x.size() == 1) propagate_gathered(i);
}

void compute_gather(Call& call) {
  const Tensor& x = call.input(0);
  const std::size_t axis = normalize_axis(call.attributes().get_int("axis", 0), x.shape().size(), "gather_c2");
  const std::int64_t size = x.shape()[axis];
  const std::int64_t inner = strides_of(x.shape())[axis];
  std::vector<std::int64_t> indices = call.input(1).to_ints();
  for (std::int64_t& index : indices) index = from_start(index, size);
  if (call.output(0).size() == 0) return;
  const auto count = static_cast<std::int64_t>(indices.size());
  visit_storage(x.dtype(), [&]<typename E>() {
    const E* from = stored<E>(x);
    E* to = mutable_stored<E>(call.output(0));
    const std::int64_t blocks = call.output(0).size() / inner;
    call.parallel().for_each_block(blocks, kElementGrain / inner, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t block = begin; block < end; ++block) {
        const std::int64_t index = indices[static_cast<std::size_t>(block % count)];
        std::copy_n(from + (block / count * size + index) * inner, inner, to + block * inner);
      }
    });
  });
}

}  // namespace

const Operator ops::kGather = {
    .name = "Gather",
    .versions = {1, 11, 13},
    .formula = "y[a..., i..., b...] = x[a..., indices[i...], b...]",
    .constraints = {{"gather_c1", "indices are int32 or int64"},
                    {"gather_c2", "axis is within [-rank, rank - 1]"},
                    {"gather_c3", "indices are within [-length, length - 1] of the axis"}},
    .infer = infer_gather,
    .compute = compute_gather,
    .halves = Halves::kAsIs,
    .inputs = {Role::kMoved, Role::kIndex},
    .outputs = {Role::kY},
};

}  // namespace octet
