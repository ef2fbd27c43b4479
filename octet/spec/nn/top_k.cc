// top_k.cc: the meaning of TopK.
//
//   values, indices = the k largest elements of x along axis, in descending order, and where they are
//
// or the k smallest, in ascending order, with largest = 0. Of equal elements the one with the lower index comes first.
// NaN counts as larger than every number. Results are sorted whatever the attribute sorted says. k is an attribute in
// opset 1 and an input, [1], later.
#include <algorithm>
#include <numeric>

#include "octet/base/visit.h"
#include "octet/spec/axes.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

constexpr int kInput = 10;  // the opset from which k is an input

Dim wanted(const Inference& i) {
  if (i.opset() < kInput) {
    if (!i.attributes().has("k")) fail_constraint("top_k_c3", "attribute k is missing");
    return i.attributes().get_int("k", 0);
  }
  if (i.dtype(1) != DType::kInt64) fail_constraint("top_k_c3", "k is {}, wanted int64", name(i.dtype(1)));
  if (const auto* elements = i.elements(1)) {
    if (elements->size() != 1) fail_constraint("top_k_c3", "k has {} elements, wanted 1", elements->size());
    return elements->front();
  }
  return {};
}

void infer_top_k(Inference& i) {
  require_type(i, 0, TypeKind::kNumeric, "top_k_c1");
  const Dim k = wanted(i);
  if (k.known() && k.value() < 0) fail_constraint("top_k_c3", "k is {}, wanted 0 or more", k.value());
  std::optional<SymbolicShape> y = i.input(0).shape;
  if (y) {
    Dim& length = (*y)[normalize_axis(i.attributes().get_int("axis", -1), y->size(), "top_k_c2")];
    if (k.known() && length.known() && k.value() > length.value())
      fail_constraint("top_k_c3", "k is {}, the axis has {} elements", k.value(), length.value());
    length = k;
  }
  i.set_output(0, i.dtype(0), y);
  i.set_output(1, DType::kInt64, std::move(y));
}

template <typename T>
bool ranks_above(T a, T b) {
  return a > b || (a != a && b == b);
}

template <typename T>
void select_as(Call& call) {
  const Shape &from = call.input(0).shape(), &to = call.output_shape(0);
  const std::size_t axis = normalize_axis(call.attributes().get_int("axis", -1), from.size(), {});
  const bool largest = call.attributes().get_int("largest", 1) != 0;
  const Lanes lanes(from, axis), selected(to, axis);
  const T* x = call.input(0).as<T>().data();
  T* values = call.output(0).mutable_as<T>().data();
  std::int64_t* indices = call.wants(1) ? call.output(1).mutable_as<std::int64_t>().data() : nullptr;
  call.parallel().for_each_block(selected.count, 1, [&](std::int64_t begin, std::int64_t end) {
    if (selected.length == 0) return;
    std::vector<std::int64_t> best(static_cast<std::size_t>(selected.length));  // a heap, the last of them on top
    for (std::int64_t lane = begin; lane < end; ++lane) {
      const T* first = x + lanes.start(lane);
      const auto above = [=](T a, T b) { return largest ? ranks_above(a, b) : ranks_above(b, a); };
      const auto before = [=](std::int64_t a, std::int64_t b) {
        const T left = first[a * lanes.step], right = first[b * lanes.step];
        return above(left, right) || (!above(right, left) && a < b);
      };
      std::iota(best.begin(), best.end(), 0);
      std::make_heap(best.begin(), best.end(), before);
      T last = first[best.front() * lanes.step];
      for (std::int64_t k = selected.length; k < lanes.length; ++k) {
        if (!above(first[k * lanes.step], last)) continue;  // of equals the first counts
        std::pop_heap(best.begin(), best.end(), before);
        best.back() = k;
        std::push_heap(best.begin(), best.end(), before);
        last = first[best.front() * lanes.step];
      }
      std::sort_heap(best.begin(), best.end(), before);
      for (std::int64_t k = 0; k < selected.length; ++k) {
        const std::int64_t index = best[static_cast<std::size_t>(k)], at = selected.start(lane) + k * selected.step;
        values[at] = first[index * lanes.step];
        if (indices != nullptr) indices[at] = index;
      }
    }
  });
}

void compute_top_k(Call& call) {
  visit_numeric(call.output_dtype(0), [&]<typename T>() { select_as<T>(call); });
}

}  // namespace

const Operator ops::kTopK = {
    .name = "TopK",
    .versions = {1, 10, 11, 24},
    .formula = "values, indices = the k largest or smallest elements along axis",
    .constraints = {{"top_k_c1", "x is floating point or an integer of 8 to 64 bits"},
                    {"top_k_c2", "axis is in [-rank, rank - 1]"},
                    {"top_k_c3", "k is one int64, in [0, the axis' dimension]"}},
    .infer = infer_top_k,
    .compute = compute_top_k,
};

}  // namespace octet
