// mean.cc: the meaning of Mean.
//
//   y = (x0 + x1 + ... + xn-1) / n, with broadcasting
//
// Added from left to right, then divided.
//
//   mean_c1  The inputs are of one floating-point type.
//   mean_c2  The shapes broadcast.
#include "octet/spec/operators.h"
#include "octet/spec/support/variadic.h"

namespace octet {
namespace {

void compute_mean(Call& call) {
  visit_float(call.input(0).dtype(), [&]<typename T>() {
    fold_elements<T>(call, [](T a, T b) { return a + b; });
    const T count = static_cast<T>(call.input_count());
    for (T& y : call.output(0).mutable_as<T>()) y /= count;
  });
}

}  // namespace

const Operator ops::kMean = {
    .name = "Mean",
    .versions = {1, 6, 8, 13},
    .formula = "y = (x0 + x1 + ... + xn-1) / n",
    .constraints = {{"mean_c1", "the inputs are of one floating-point type"}, {"mean_c2", "the shapes broadcast"}},
    .infer = [](Inference& i) { infer_variadic(i, "mean", TypeKind::kFloat); },
    .compute = compute_mean,
    .on_elements = true,
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
