// is_nan.cc: the meaning of IsNaN.
//
//   y = x is not a number
//
//   is_nan_c1  x is floating point.
#include <cmath>

#include "octet/spec/operators.h"
#include "octet/spec/support/unary.h"

namespace octet {
namespace {

void infer_is_nan(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "is_nan_c1");
  i.set_output(0, DType::kBool, i.input(0).shape);
}

void compute_is_nan(Call& call) {
  visit_float(call.input(0).dtype(),
              [&]<typename T>() { map_elements<T, bool>(call, [](T x) { return std::isnan(x); }); });
}

}  // namespace

const Operator ops::kIsNaN = {
    .name = "IsNaN",
    .versions = {9, 13, 20},
    .formula = "y = x is not a number",
    .constraints = {{"is_nan_c1", "x is floating point"}},
    .infer = infer_is_nan,
    .compute = compute_is_nan,
    .on_elements = true,
};

}  // namespace octet
