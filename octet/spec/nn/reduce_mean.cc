// reduce_mean.cc: the meaning of ReduceMean.
//
//   y = Sum x / count
//
// over the reduced axes (reduce.h). The mean of integers is exact and truncated toward zero. The mean of nothing is
// 0, as in ONNX Runtime.
#include "octet/spec/operators.h"
#include "octet/spec/support/reduce.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_reduce_mean(Inference& i) {
  require_type(i, 0, TypeKind::kWide, "reduce_mean_c1");
  infer_reduce(i, kAxesInput, "reduce_mean_c2");
}

void compute_reduce_mean(Call& call) {
  visit_reduced(call, [&]<typename T>() {
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, __int128>;
    const std::int64_t count = ReduceLayout(call, kAxesInput).elements();
    if constexpr (std::is_same_v<T, float>)
      reduce_sums(call, kAxesInput, [count](float sum) { return count == 0 ? 0 : sum / static_cast<float>(count); });
    else
      fold_as<T>(
          call, kAxesInput, Sum(0), [](Sum sum, T value) { return sum + static_cast<Sum>(value); },
          [count](Sum sum) { return count == 0 ? T(0) : static_cast<T>(sum / static_cast<Sum>(count)); });
  });
}

}  // namespace

const Operator ops::kReduceMean = {
    .name = "ReduceMean",
    .versions = {1, 11, 13, 18},
    .formula = "y = Sum x / count over the reduced axes",
    .constraints = {{"reduce_mean_c1", "x is floating point or an integer of 32 or 64 bits"},
                    {"reduce_mean_c2", "axes are int64, in [-rank, rank - 1], each at most once"}},
    .infer = infer_reduce_mean,
    .compute = compute_reduce_mean,
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
