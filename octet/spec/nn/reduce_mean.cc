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
  reduce(call, kAxesInput, []<typename T>(const ReducedElements<T>& x) {
    if constexpr (std::is_same_v<T, float>) {
      return x.count() == 0 ? 0 : x.sum() / static_cast<float>(x.count());
    } else if constexpr (std::is_floating_point_v<T>) {
      double sum = 0;
      x.for_each([&](T value) { sum += static_cast<double>(value); });
      return x.count() == 0 ? T(0) : static_cast<T>(sum / static_cast<double>(x.count()));
    } else {
      __int128 sum = 0;
      x.for_each([&](T value) { sum += value; });
      return x.count() == 0 ? T(0) : static_cast<T>(sum / x.count());
    }
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
