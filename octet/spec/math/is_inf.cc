// is_inf.cc: the meaning of IsInf.
//
//   y = x is plus infinity (unless detect_positive is 0) or minus infinity (unless detect_negative is 0)
//
//   is_inf_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void infer_is_inf(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "is_inf_c1");
  i.set_output(0, DType::kBool, i.input(0).shape);
}

void compute_is_inf(Call& call) {
  const bool positive = call.attributes().get_int("detect_positive", 1) != 0;
  const bool negative = call.attributes().get_int("detect_negative", 1) != 0;
  visit_float(call.input(0).dtype(), [&]<typename T>() {
    map_elements<T, bool>(call, [=](T x) { return std::isinf(x) && (x > 0 ? positive : negative); });
  });
}

}  // namespace

const Operator ops::kIsInf = {
    .name = "IsInf",
    .versions = {10, 20},
    .formula = "y = x is plus or minus infinity",
    .constraints = {{"is_inf_c1", "x is floating point"}},
    .infer = infer_is_inf,
    .compute = compute_is_inf,
    .on_elements = true,
};

}  // namespace octet
