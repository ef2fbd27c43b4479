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
  visit_reduced(call, [&]<typename T>() {
    const ReduceLayout layout(call, kAxesInput);
    const T* x = call.input(0).as<T>().data();
    T* y = call.output(0).mutable_as<T>().data();
    for_each_output_block(call, layout, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t output = begin; output < end; ++output) {
        double max = 0, sum = 0;
        fold_outputs<T>(
            layout, x, output, output + 1, &max, -std::numeric_limits<double>::infinity(),
            [](double greatest, T value) { return std::max(greatest, static_cast<double>(value)); },
            [](double greatest) { return std::isinf(greatest) ? 0 : greatest; });  // exp(x - max) would be NaN
        fold_outputs<T>(
            layout, x, output, output + 1, &sum, 0.0,
            [max](double so_far, T value) { return so_far + std::exp(static_cast<double>(value) - max); },
            [](double total) { return total; });
        y[output] = saturated<T>(max + std::log(sum));
      }
    });
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
