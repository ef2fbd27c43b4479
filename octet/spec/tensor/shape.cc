// shape.cc: the meaning of Shape.
//
//   y = the lengths of x's axes from `start` up to `end`, as int64
//
// Negative values count from the end; both are clamped to [0, rank].
#include <algorithm>

#include "octet/spec/operators.h"

namespace octet {
namespace {

struct Bounds {
  std::int64_t start, end;
};

Bounds bounds(int opset, const Attributes& attributes, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (opset < 15) return {0, count};
  const auto clamped = [&](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + count : axis, 0, count);
  };
  const std::int64_t start = clamped(attributes.get_int("start", 0));
  return {start, std::max(start, clamped(attributes.get_int("end", count)))};
}

void infer_shape(Inference& i) {
  if (!i.input(0).shape) return i.set_output(0, DType::kInt64, SymbolicShape(1));
  const SymbolicShape& x = i.shape(0);
  const auto [start, end] = bounds(i.opset(), i.attributes(), x.size());
  i.set_output(0, DType::kInt64, SymbolicShape{end - start});
  i.set_elements(0, {x.begin() + start, x.begin() + end});
}

void compute_shape(Call& call) {
  const Shape& x = call.input(0).shape();
  const auto [start, end] = bounds(call.opset(), call.attributes(), x.size());
  std::copy(x.begin() + start, x.begin() + end, call.output(0).mutable_as<std::int64_t>().begin());
}

}  // namespace

const Operator ops::kShape = {
    .name = "Shape",
    .versions = {1, 13, 15, 19, 21, 23, 24, 25},
    .formula = "y = the lengths of x's axes",
    .infer = infer_shape,
    .compute = compute_shape,
    .halves = Halves::kAsIs,
};

}  // namespace octet
