// range.cc: the meaning of Range.
//
//   y[0] = start, y[i] = y[i - 1] + delta, for max(0, ceil((limit - start) / delta)) elements
//
// Added up step by step in the type of the inputs (float32 for the half types), as ONNX Runtime does: for floating point, start + i * delta is
// another number. The count is exact for integers; for floating point the difference is rounded to the inputs' type and
// divided in double.
//
//   range_c1  start, limit and delta are of one type, floating point or an integer of 8 to 64 bits, with one element.
//   range_c2  delta is not 0, and the number of elements is finite.
//   range_c3  stash_type, the type that float16 and bfloat16 are added up in since opset 27, is 1: float32.
#include <cmath>
#include <limits>
#include <type_traits>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/types.h"
#include "octet/spec/support/wrapping.h"

namespace octet {
namespace {

template <typename T>
std::int64_t count(T start, T limit, T delta) {
  if (delta == T(0)) fail_constraint("range_c2", "delta is 0");
  if constexpr (std::is_integral_v<T>) {
    const auto distance = static_cast<__int128>(limit) - static_cast<__int128>(start);
    const auto step = static_cast<__int128>(delta);
    if (distance == 0 || (distance > 0) != (step > 0)) return 0;
    const __int128 steps = (distance + step + (step > 0 ? -1 : 1)) / step;
    if (steps > std::numeric_limits<std::int64_t>::max()) fail_constraint("range_c2", "the range does not fit 63 bits");
    return static_cast<std::int64_t>(steps);
  } else {
    const double steps = std::ceil(static_cast<double>(limit - start) / static_cast<double>(delta));
    if (!(steps < 9.2e18))
      fail_constraint("range_c2", "the range from {} to {} by {} does not end", start, limit, delta);
    return steps > 0 ? static_cast<std::int64_t>(steps) : 0;
  }
}

Dim length(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  for (const Tensor* tensor : {&start, &limit, &delta})
    if (tensor->size() != 1) fail_constraint("range_c1", "an input has {} elements, wanted 1", tensor->size());
  if (is_half(start.dtype()))
    return length(convert(start, DType::kFloat), convert(limit, DType::kFloat), convert(delta, DType::kFloat));
  return visit_numeric(start.dtype(),
                       [&]<typename T>() { return Dim(count(start.as<T>()[0], limit.as<T>()[0], delta.as<T>()[0])); });
}

// From 0 in steps of 1, a length made from shapes stays what it is.
Dim symbolic_length(const Inference& i) {
  const std::vector<Dim>*start = i.elements(0), *limit = i.elements(1), *delta = i.elements(2);
  if (!start || !limit || !delta || start->size() != 1 || limit->size() != 1 || delta->size() != 1) return {};
  return (*start)[0].is(0) && (*delta)[0].is(1) ? (*limit)[0] : Dim();
}

void infer_range(Inference& i) {
  require_type(i, 0, TypeKind::kNumeric, "range_c1");
  require_same_type(i, 0, 1, "range_c1");
  require_same_type(i, 0, 2, "range_c1");
  const std::int64_t stash = i.attributes().get_int("stash_type", 1);
  if (is_half(i.dtype(0)) && stash != 1) fail_constraint("range_c3", "stash_type is {}, wanted 1", stash);
  const bool known = i.constant(0) && i.constant(1) && i.constant(2);
  i.set_output(0, i.dtype(0),
               SymbolicShape{known ? length(*i.constant(0), *i.constant(1), *i.constant(2)) : symbolic_length(i)});
}

void compute_range(Call& call) {
  visit_numeric(call.input(0).dtype(), [&]<typename T>() {
    T value = call.input(0).as<T>()[0];
    const T delta = call.input(2).as<T>()[0];
    for (T& y : call.output(0).mutable_as<T>()) {
      y = value;
      value = wrapping_add(value, delta);
    }
  });
}

}  // namespace

const Operator ops::kRange = {
    .name = "Range",
    .versions = {11, 27},
    .formula = "y[0] = start, y[i] = y[i - 1] + delta, up to limit",
    .constraints = {{"range_c1",
                     "start, limit and delta are of one type, floating point or an integer of 8 to 64 bits, with one "
                     "element"},
                    {"range_c2", "delta is not 0, and the number of elements is finite"},
                    {"range_c3", "stash_type, the type that float16 and bfloat16 are added up in, is 1: float32"}},
    .infer = infer_range,
    .compute = compute_range,
};

}  // namespace octet
