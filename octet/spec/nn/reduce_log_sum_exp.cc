// reduce_log_sum_exp.cc: the meaning of ReduceLogSumExp.
//
//   y = log(Sum exp(x))
//
// over the reduced axes (reduce.h). Computed as max + log(Sum exp(x - max)), in float64 for integers too, whose
// result is truncated; minus infinity for nothing.
#include <algorithm>
#include <cmath>
#include <limits>

#include "octet/spec/operators.h"
#include "octet/spec/support/reduce.h"
#include "octet/spec/support/saturated.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_reduce_log_sum_exp(Inference& i) {
  require_type(i, 0, TypeKind::kWide, "reduce_log_sum_exp_c1");
  infer_reduce(i, kAxesInput, "reduce_log_sum_exp_c2");
}

void compute_reduce_log_sum_exp(Call& call) {
  reduce(call, kAxesInput, []<typename T>(const ReducedElements<T>& x) {
    double max = -std::numeric_limits<double>::infinity();
    x.for_each([&](T value) { max = std::max(max, static_cast<double>(value)); });
    if (std::isinf(max)) max = 0;  // exp(x - max) would be NaN
    double sum = 0;
    x.for_each([&](T value) { sum += std::exp(static_cast<double>(value) - max); });
    return saturated<T>(max + std::log(sum));
  });
}

}  // namespace

const Operator ops::kReduceLogSumExp = {
    .name = "ReduceLogSumExp",
    .versions = {1, 11, 13, 18, 28},
    .formula = "y = log(Sum exp(x)) over the reduced axes",
    .constraints = {{"reduce_log_sum_exp_c1", "x is floating point or an integer of 32 or 64 bits"},
                    {"reduce_log_sum_exp_c2", "axes are int64, in [-rank, rank - 1], each at most once"}},
    .infer = infer_reduce_log_sum_exp,
    .compute = compute_reduce_log_sum_exp,
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
