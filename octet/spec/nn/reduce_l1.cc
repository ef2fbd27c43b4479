// reduce_l1.cc: the meaning of ReduceL1.
//
//   y = Sum |x|
//
// over the reduced axes (reduce.h). Nothing sums to 0.
#include "octet/spec/operators.h"
#include "octet/spec/support/reduce.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_reduce_l1(Inference& i) {
  require_type(i, 0, TypeKind::kWide, "reduce_l1_c1");
  infer_reduce(i, kAxesInput, "reduce_l1_c2");
}

void compute_reduce_l1(Call& call) {
  visit_reduced(call, [&]<typename T>() {
    using Sum = SumOf<T>;
    const auto add = [](Sum sum, T value) {
      const auto wide = static_cast<Sum>(value);
      return sum + (value < T(0) ? Sum(0) - wide : wide);
    };
    fold_as<T>(call, kAxesInput, Sum(0), add, [](Sum sum) { return static_cast<T>(sum); });
  });
}

}  // namespace

const Operator ops::kReduceL1 = {
    .name = "ReduceL1",
    .versions = {1, 11, 13, 18},
    .formula = "y = Sum |x| over the reduced axes",
    .constraints = {{"reduce_l1_c1", "x is floating point or an integer of 32 or 64 bits"},
                    {"reduce_l1_c2", "axes are int64, in [-rank, rank - 1], each at most once"}},
    .infer = infer_reduce_l1,
    .compute = compute_reduce_l1,
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
