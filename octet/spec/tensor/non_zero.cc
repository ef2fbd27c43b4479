// non_zero.cc: the meaning of NonZero.
//
//   column n of y is the index of the n-th element of x that is not 0, in row-major order
//
// y is int64 of shape [rank, number of such elements]: known only when x is.
//
//   non_zero_c1  x is bool, floating point or an integer.
#include <algorithm>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"

namespace octet {
namespace {

void infer_non_zero(Inference& i) {
  const DType dtype = i.dtype(0);
  if (dtype != DType::kBool && !is_float(dtype) && !is_integer(dtype))
    fail_constraint("non_zero_c1", "x is {}, wanted bool, floating point or an integer", name(dtype));
  SymbolicShape y(2);
  if (i.has_shape(0)) y[0] = static_cast<std::int64_t>(i.shape(0).size());
  if (const Tensor* x = i.constant(0)) {
    const Tensor set = convert(*x, DType::kBool);
    y[1] = std::ranges::count(set.as<bool>(), true);
  }
  i.set_output(0, DType::kInt64, std::move(y));
}

void compute_non_zero(Call& call) {
  const Shape& shape = call.input(0).shape();
  const Tensor set = convert(call.input(0), DType::kBool);
  const std::int64_t count = call.output_shape(0)[1];
  const std::span<std::int64_t> y = call.output(0).mutable_as<std::int64_t>();
  std::int64_t column = 0;
  for (std::int64_t n = 0; n < set.size(); ++n) {
    if (!set.as<bool>()[static_cast<std::size_t>(n)]) continue;
    std::int64_t rest = n;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
      y[axis * static_cast<std::size_t>(count) + static_cast<std::size_t>(column)] = rest % shape[axis];
    ++column;
  }
}

}  // namespace

const Operator ops::kNonZero = {
    .name = "NonZero",
    .versions = {9, 13},
    .formula = "column n of y is the index of the n-th element of x that is not 0",
    .constraints = {{"non_zero_c1", "x is bool, floating point or an integer"}},
    .infer = infer_non_zero,
    .compute = compute_non_zero,
    .halves = Halves::kAsIs,
};

}  // namespace octet
