// reduce_min.cc: the meaning of ReduceMin.
//
//   y = min x
//
// over the reduced axes (reduce.h). NaN wins over every number. The minimum of nothing is infinity for floating
// point, the type's highest value for integers and true for bool, where this is logical and.
#include <limits>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/reduce_extreme.h"

namespace octet {
namespace {

void infer_reduce_min(Inference& i) {
  const DType dtype = i.dtype(0);
  const bool integer = is_integer(dtype) && bits(dtype) >= 8 && bits(dtype) != 16;
  if (!is_float(dtype) && !integer && dtype != DType::kBool)
    fail_constraint("reduce_min_c1", "x is {}, wanted floating point, an integer of 8, 32 or 64 bits, or bool",
                    name(dtype));
  infer_reduce(i, kAxesInput, "reduce_min_c2");
}

template <typename T>
void reduce_min_as(Call& call) {
  using Limits = std::numeric_limits<T>;
  constexpr T kNothing = Limits::has_infinity ? Limits::infinity() : Limits::max();
  reduce_to_extreme<T>(call, kNothing, [](T value, T best) { return value < best; });
}

void compute_reduce_min(Call& call) {
  if (call.output_dtype(0) == DType::kBool) return reduce_min_as<bool>(call);
  visit_numeric(call.output_dtype(0), [&]<typename T>() { reduce_min_as<T>(call); });
}

}  // namespace

const Operator ops::kReduceMin = {
    .name = "ReduceMin",
    .versions = {1, 11, 12, 13, 18, 20},
    .formula = "y = min x over the reduced axes",
    .constraints = {{"reduce_min_c1", "x is floating point, an integer of 8, 32 or 64 bits, or bool"},
                    {"reduce_min_c2", "axes are int64, in [-rank, rank - 1], each at most once"}},
    .infer = infer_reduce_min,
    .compute = compute_reduce_min,
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
