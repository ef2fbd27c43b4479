// reduce_max.cc: the meaning of ReduceMax.
//
//   y = max x
//
// over the reduced axes (reduce.h). NaN wins over every number. The maximum of nothing is minus infinity for floating
// point, the type's lowest value for integers and false for bool, where this is logical or.
#include <limits>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/reduce_extreme.h"

namespace octet {
namespace {

void infer_reduce_max(Inference& i) {
  const DType dtype = i.dtype(0);
  const bool integer = is_integer(dtype) && bits(dtype) >= 8 && bits(dtype) != 16;
  if (!is_float(dtype) && !integer && dtype != DType::kBool)
    fail_constraint("reduce_max_c1", "x is {}, wanted floating point, an integer of 8, 32 or 64 bits, or bool",
                    name(dtype));
  infer_reduce(i, kAxesInput, "reduce_max_c2");
}

template <typename T>
void reduce_max_as(Call& call) {
  using Limits = std::numeric_limits<T>;
  constexpr T kNothing = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  reduce_to_extreme<T>(call, kNothing, [](T value, T best) { return value > best; });
}

void compute_reduce_max(Call& call) {
  if (call.output_dtype(0) == DType::kBool) return reduce_max_as<bool>(call);
  visit_numeric(call.output_dtype(0), [&]<typename T>() { reduce_max_as<T>(call); });
}

}  // namespace

const Operator ops::kReduceMax = {
    .name = "ReduceMax",
    .versions = {1, 11, 12, 13, 18, 20},
    .formula = "y = max x over the reduced axes",
    .constraints = {{"reduce_max_c1", "x is floating point, an integer of 8, 32 or 64 bits, or bool"},
                    {"reduce_max_c2", "axes are int64, in [-rank, rank - 1], each at most once"}},
    .infer = infer_reduce_max,
    .compute = compute_reduce_max,
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
