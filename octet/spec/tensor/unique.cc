// unique.cc: the meaning of Unique.
//
//   y = the slices of x along axis that differ from one another, ascending, or in the order in which they come first
//   indices[k] = where y[k] comes first in x;  inverse_indices[i] = which of y x[i] is;  counts[k] = how often it comes
//
// Without axis, x is flattened and a slice is an element. Slices compare element by element; a NaN equals another and
// is larger than any number. y is ascending unless sorted is 0.
//
//   unique_c1  x is bool, floating point or an integer of 8 to 64 bits.
//   unique_c2  axis is within [-rank, rank - 1].
#include <algorithm>
#include <numeric>

#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/storage.h"

namespace octet {
namespace {

using Indices = std::vector<std::int64_t>;

// Which slices are the same: the first of each group, in the order of y, and the group of every slice.
struct Groups {
  Indices first, group_of, counts;
};

Lanes unique_lanes(const Shape& shape, const Attributes& attributes) {
  if (!attributes.has("axis")) return Lanes(Shape{element_count(shape)}, 0);
  return Lanes(shape, normalize_axis(attributes.get_int("axis", 0), shape.size(), "unique_c2"));
}

template <typename T>
bool comes_before(T a, T b) {
  return a < b || (b != b && a == a);
}

// Compares slices a and b: negative, 0 or positive.
template <typename T>
int compare_slices(const T* x, const Lanes& lanes, std::int64_t a, std::int64_t b) {
  for (std::int64_t lane = 0; lane < lanes.count; ++lane) {
    const T left = x[lanes.start(lane) + a * lanes.step], right = x[lanes.start(lane) + b * lanes.step];
    if (comes_before(left, right)) return -1;
    if (comes_before(right, left)) return 1;
  }
  return 0;
}

template <typename T>
Groups groups_of(const T* x, const Lanes& lanes, bool sorted) {
  Indices order(static_cast<std::size_t>(lanes.length));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::int64_t a, std::int64_t b) {
    const int compared = compare_slices(x, lanes, a, b);
    return compared < 0 || (compared == 0 && a < b);
  });
  std::vector<Indices> groups;
  for (const std::int64_t slice : order) {
    if (groups.empty() || compare_slices(x, lanes, groups.back().front(), slice) != 0) groups.emplace_back();
    groups.back().push_back(slice);
  }
  if (!sorted) std::ranges::sort(groups);
  Groups result;
  result.group_of.resize(order.size());
  for (const Indices& group : groups) {
    for (const std::int64_t slice : group)
      result.group_of[static_cast<std::size_t>(slice)] = static_cast<std::int64_t>(result.first.size());
    result.first.push_back(group.front());
    result.counts.push_back(static_cast<std::int64_t>(group.size()));
  }
  return result;
}

Groups groups_of(const Tensor& tensor, const Attributes& attributes) {
  const Lanes lanes = unique_lanes(tensor.shape(), attributes);
  const bool sorted = attributes.get_int("sorted", 1) != 0;
  if (tensor.dtype() == DType::kBool) return groups_of(tensor.as<bool>().data(), lanes, sorted);
  if (is_half(tensor.dtype())) return groups_of(convert(tensor, DType::kFloat), attributes);
  return visit_numeric(tensor.dtype(), [&]<typename T>() { return groups_of(tensor.as<T>().data(), lanes, sorted); });
}

void infer_unique(Inference& i) {
  const DType dtype = i.dtype(0);
  if (dtype != DType::kBool && !is_float(dtype) && !(is_integer(dtype) && bits(dtype) >= 8))
    fail_constraint("unique_c1", "x is {}, wanted bool, floating point or an integer of 8 to 64 bits", name(dtype));
  const bool flat = !i.attributes().has("axis");
  std::optional<SymbolicShape> y = flat ? std::optional(SymbolicShape(1)) : i.input(0).shape;
  Dim length, count;
  if (y) {
    const std::size_t axis = flat ? 0 : normalize_axis(i.attributes().get_int("axis", 0), y->size(), "unique_c2");
    const Tensor* x = i.constant(0);
    if (x) count = static_cast<std::int64_t>(groups_of(*x, i.attributes()).first.size());
    if (x) length = unique_lanes(x->shape(), i.attributes()).length;
    (*y)[axis] = count;
  }
  i.set_output(0, dtype, std::move(y));
  i.set_output(1, DType::kInt64, SymbolicShape{count});
  i.set_output(2, DType::kInt64, SymbolicShape{length});
  i.set_output(3, DType::kInt64, SymbolicShape{count});
}

void compute_unique(Call& call) {
  const Tensor& x = call.input(0);
  const Groups groups = groups_of(x, call.attributes());
  const Lanes from = unique_lanes(x.shape(), call.attributes());
  const Lanes to = unique_lanes(call.output_shape(0), call.attributes());
  visit_storage(x.dtype(), [&]<typename E>() {
    E* y = mutable_stored<E>(call.output(0));
    for (std::int64_t lane = 0; lane < to.count; ++lane)
      for (std::int64_t k = 0; k < to.length; ++k)
        y[to.start(lane) + k * to.step] =
            stored<E>(x)[from.start(lane) + groups.first[static_cast<std::size_t>(k)] * from.step];
  });
  const std::array<const Indices*, 3> lists = {&groups.first, &groups.group_of, &groups.counts};
  for (std::size_t n = 0; n < lists.size(); ++n)
    if (call.wants(n + 1)) std::ranges::copy(*lists[n], call.output(n + 1).mutable_as<std::int64_t>().begin());
}

}  // namespace

const Operator ops::kUnique = {
    .name = "Unique",
    .versions = {11, 28},
    .formula = "y = the slices of x along axis that differ from one another, ascending",
    .constraints = {{"unique_c1", "x is bool, floating point or an integer of 8 to 64 bits"},
                    {"unique_c2", "axis is within [-rank, rank - 1]"}},
    .infer = infer_unique,
    .compute = compute_unique,
    .halves = Halves::kAsIs,
};

}  // namespace octet
