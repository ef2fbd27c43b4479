// reduce_l2.cc: the meaning of ReduceL2.
//
//   y = sqrt(Sum x^2)
//
// over the reduced axes (reduce.h). The sum is in float64 for integers too, whose root is truncated. Nothing
// sums to 0.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/reduce.h"
#include "octet/spec/support/saturated.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_reduce_l2(Inference& i) {
  require_type(i, 0, TypeKind::kWide, "reduce_l2_c1");
  infer_reduce(i, kAxesInput, "reduce_l2_c2");
}

void compute_reduce_l2(Call& call) {
  visit_reduced(call, [&]<typename T>() {
    const auto add = [](double sum, T value) { return sum + static_cast<double>(value) * static_cast<double>(value); };
    fold_as<T>(call, kAxesInput, 0.0, add, [](double sum) { return saturated<T>(std::sqrt(sum)); });
  });
}

}  // namespace

const Operator ops::kReduceL2 = {
    .name = "ReduceL2",
    .versions = {1, 11, 13, 18},
    .formula = "y = sqrt(Sum x^2) over the reduced axes",
    .constraints = {{"reduce_l2_c1", "x is floating point or an integer of 32 or 64 bits"},
                    {"reduce_l2_c2", "axes are int64, in [-rank, rank - 1], each at most once"}},
    .infer = infer_reduce_l2,
    .compute = compute_reduce_l2,
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
