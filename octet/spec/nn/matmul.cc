// matmul.cc: the meaning of MatMul.
//
//   y[..., m, n] = Sum_k a[..., m, k] * b[..., k, n]
//
// with numpy's rules for leading dimensions and vectors (matmul_shape.h). The sum is in the type of a (float32 for the
// half types), over k in order, a product and its addition rounded once, together; integers wrap.
#include "octet/spec/support/matmul.h"

#include "octet/base/visit.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_matmul(Inference& i) {
  require_type(i, 0, TypeKind::kWide, "matmul_c1");
  require_same_type(i, 1, 0, "matmul_c1");
  i.set_output(0, i.dtype(0), infer_matmul(i.input(0).shape, i.input(1).shape, "matmul_c2"));
}

void compute_matmul(Call& call) {
  visit_numeric(call.output_dtype(0), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>)
      matmul_as<T>(call.input(0), call.input(1), call.output(0), call.parallel());
    else if constexpr (sizeof(T) >= 4)
      matmul_as<std::make_unsigned_t<T>>(call.input(0), call.input(1), call.output(0), call.parallel());
  });
}

}  // namespace

const Operator ops::kMatMul = {
    .name = "MatMul",
    .versions = {1, 9, 13},
    .formula = "y[m,n] = Sum_k a[m,k] * b[k,n]",
    .constraints = {{"matmul_c1", "a and b have the same type: floating point, or an integer of 32 or 64 bits"},
                    {"matmul_c2",
                     "neither is a scalar, a has as many columns as b has rows, and the leading dimensions broadcast"}},
    .infer = infer_matmul,
    .compute = compute_matmul,
    .traits = {Trait::kWeighted, Trait::kSumOfProducts},
    .macs = MacRule::kMatrix,
};

}  // namespace octet
