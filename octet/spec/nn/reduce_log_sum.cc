// reduce_log_sum.cc: the meaning of ReduceLogSum.
//
//   y = log(Sum x)
//
// over the reduced axes (reduce.h). The sum is in float64 for integers too, whose logarithm is truncated; the
// logarithm of nothing is minus infinity.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/reduce.h"
#include "octet/spec/support/saturated.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_reduce_log_sum(Inference& i) {
  require_type(i, 0, TypeKind::kWide, "reduce_log_sum_c1");
  infer_reduce(i, kAxesInput, "reduce_log_sum_c2");
}

void compute_reduce_log_sum(Call& call) {
  visit_reduced(call, [&]<typename T>() {
    const auto add = [](double sum, T value) { return sum + static_cast<double>(value); };
    fold_as<T>(call, kAxesInput, 0.0, add, [](double sum) { return saturated<T>(std::log(sum)); });
  });
}

}  // namespace

const Operator ops::kReduceLogSum = {
    .name = "ReduceLogSum",
    .versions = {1, 11, 13, 18, 28},
    .formula = "y = log(Sum x) over the reduced axes",
    .constraints = {{"reduce_log_sum_c1", "x is floating point or an integer of 32 or 64 bits"},
                    {"reduce_log_sum_c2", "axes are int64, in [-rank, rank - 1], each at most once"}},
    .infer = infer_reduce_log_sum,
    .compute = compute_reduce_log_sum,
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
