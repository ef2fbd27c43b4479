#include "octet/spec/support/view.h"

#include <algorithm>

#include "octet/spec/support/grain.h"
#include "octet/spec/support/storage.h"

namespace octet {
namespace {

// One axis of the copy: its length and how far a step goes in either tensor.
struct Axis {
  std::int64_t length, from, to;
};

// The axes with those of length 1 left out and neighbours joined where a step along the outer one equals a whole walk
// along the inner one. Never empty.
std::vector<Axis> merged_axes(const Shape& shape, const View& from, const View& to) {
  std::vector<Axis> axes;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 1) continue;
    const Axis axis = {shape[k], from.strides[k], to.strides[k]};
    if (!axes.empty() && axes.back().from == axis.from * axis.length && axes.back().to == axis.to * axis.length)
      axes.back() = {axes.back().length * axis.length, axis.from, axis.to};
    else
      axes.push_back(axis);
  }
  if (axes.empty()) axes.push_back({1, 1, 1});
  return axes;
}

template <typename E>
void copy_row(const E* from, E* to, const Axis& axis) {
  if (axis.from == 1 && axis.to == 1)
    std::copy_n(from, axis.length, to);
  else
    for (std::int64_t k = 0; k < axis.length; ++k) to[k * axis.to] = from[k * axis.from];
}

template <typename E>
void copy_rows(const E* from, E* to, std::span<const Axis> outer, const Axis& inner, std::int64_t begin,
               std::int64_t end) {
  std::vector<std::int64_t> index(outer.size());
  std::int64_t rest = begin;
  for (std::size_t k = outer.size(); k-- > 0; rest /= outer[k].length) {
    index[k] = rest % outer[k].length;
    from += index[k] * outer[k].from;
    to += index[k] * outer[k].to;
  }
  for (std::int64_t row = begin; row < end; ++row) {
    copy_row(from, to, inner);
    for (std::size_t k = outer.size(); k-- > 0;) {
      from += outer[k].from;
      to += outer[k].to;
      if (++index[k] < outer[k].length) break;
      index[k] = 0;
      from -= outer[k].length * outer[k].from;
      to -= outer[k].length * outer[k].to;
    }
  }
}

}  // namespace

void copy_elements(const Parallel& parallel, const Shape& shape, const Tensor& from, const View& from_view, Tensor& to,
                   const View& to_view) {
  const std::int64_t count = element_count(shape);
  if (count == 0) return;
  const std::vector<Axis> axes = merged_axes(shape, from_view, to_view);
  const Axis inner = axes.back();
  const std::span outer(axes.data(), axes.size() - 1);
  visit_storage(from.dtype(), [&]<typename E>() {
    const E* source = stored<E>(from) + from_view.offset;
    E* target = mutable_stored<E>(to) + to_view.offset;
    parallel.for_each_block(
        count / inner.length, std::max(kElementGrain / inner.length, std::int64_t{1}),
        [&](std::int64_t begin, std::int64_t end) { copy_rows(source, target, outer, inner, begin, end); });
  });
}

void copy_permuted(Call& call, const Shape& shape, std::span<const std::size_t> order) {
  const std::vector<std::int64_t> strides = strides_of(shape);
  Shape permuted;
  View from;
  for (std::size_t axis : order) {
    permuted.push_back(shape[axis]);
    from.strides.push_back(strides[axis]);
  }
  copy_elements(call.parallel(), permuted, call.input(0), from, call.output(0), {.strides = strides_of(permuted)});
}

}  // namespace octet
