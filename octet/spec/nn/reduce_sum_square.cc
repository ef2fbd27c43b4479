// reduce_sum_square.cc: the meaning of ReduceSumSquare.
//
//   y = Sum x^2
//
// over the reduced axes (reduce.h). Nothing sums to 0.
#include "octet/spec/operators.h"
#include "octet/spec/support/reduce.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_reduce_sum_square(Inference& i) {
  require_type(i, 0, TypeKind::kWide, "reduce_sum_square_c1");
  infer_reduce(i, kAxesInput, "reduce_sum_square_c2");
}

void compute_reduce_sum_square(Call& call) {
  visit_reduced(call, [&]<typename T>() {
    using Sum = SumOf<T>;
    const auto add = [](Sum sum, T value) { return sum + static_cast<Sum>(value) * static_cast<Sum>(value); };
    fold_as<T>(call, kAxesInput, Sum(0), add, [](Sum sum) { return static_cast<T>(sum); });
  });
}

}  // namespace

const Operator ops::kReduceSumSquare = {
    .name = "ReduceSumSquare",
    .versions = {1, 11, 13, 18},
    .formula = "y = Sum x^2 over the reduced axes",
    .constraints = {{"reduce_sum_square_c1", "x is floating point or an integer of 32 or 64 bits"},
                    {"reduce_sum_square_c2", "axes are int64, in [-rank, rank - 1], each at most once"}},
    .infer = infer_reduce_sum_square,
    .compute = compute_reduce_sum_square,
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
