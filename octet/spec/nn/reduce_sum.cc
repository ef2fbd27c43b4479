// reduce_sum.cc: the meaning of ReduceSum.
//
//   y = Sum x
//
// over the reduced axes (reduce.h). Nothing sums to 0.
#include "octet/spec/operators.h"
#include "octet/spec/support/reduce.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

constexpr int kReduceSumAxesInput = 13;

void infer_reduce_sum(Inference& i) {
  require_type(i, 0, TypeKind::kWide, "reduce_sum_c1");
  infer_reduce(i, kReduceSumAxesInput, "reduce_sum_c2");
}

void compute_reduce_sum(Call& call) {
  visit_reduced(call, [&]<typename T>() {
    using Sum = SumOf<T>;
    if constexpr (std::is_same_v<T, float>)
      reduce_sums(call, kReduceSumAxesInput, [](float sum) { return sum; });
    else
      fold_as<T>(
          call, kReduceSumAxesInput, Sum(0), [](Sum sum, T value) { return sum + static_cast<Sum>(value); },
          [](Sum sum) { return static_cast<T>(sum); });
  });
}

}  // namespace

const Operator ops::kReduceSum = {
    .name = "ReduceSum",
    .versions = {1, 11, 13},
    .formula = "y = Sum x over the reduced axes",
    .constraints = {{"reduce_sum_c1", "x is floating point or an integer of 32 or 64 bits"},
                    {"reduce_sum_c2", "axes are int64, in [-rank, rank - 1], each at most once"}},
    .infer = infer_reduce_sum,
    .compute = compute_reduce_sum,
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
