// reduce_prod.cc: the meaning of ReduceProd.
//
//   y = Prod x
//
// over the reduced axes (reduce.h). Nothing multiplies to 1.
#include "octet/spec/operators.h"
#include "octet/spec/support/reduce.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_reduce_prod(Inference& i) {
  require_type(i, 0, TypeKind::kWide, "reduce_prod_c1");
  infer_reduce(i, kAxesInput, "reduce_prod_c2");
}

void compute_reduce_prod(Call& call) {
  visit_reduced(call, [&]<typename T>() {
    using Product = SumOf<T>;
    const auto multiply = [](Product product, T value) { return product * static_cast<Product>(value); };
    fold_as<T>(call, kAxesInput, Product(1), multiply, [](Product product) { return static_cast<T>(product); });
  });
}

}  // namespace

const Operator ops::kReduceProd = {
    .name = "ReduceProd",
    .versions = {1, 11, 13, 18},
    .formula = "y = Prod x over the reduced axes",
    .constraints = {{"reduce_prod_c1", "x is floating point or an integer of 32 or 64 bits"},
                    {"reduce_prod_c2", "axes are int64, in [-rank, rank - 1], each at most once"}},
    .infer = infer_reduce_prod,
    .compute = compute_reduce_prod,
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
