// global_lp_pool.cc: the meaning of GlobalLpPool.
//
//   y[n, c, 1, ...] = (Sum over the plane of |x[n, c, ...]|^p)^(1/p)
//
// The sum is in the type of x (float32 for the half types), in row-major order.
#include <cmath>

#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/global_pool.h"

namespace octet {
namespace {

void infer_global_lp_pool(Inference& i) {
  infer_global_pool(i, "global_lp_pool_c1", "global_lp_pool_c2");
  const std::int64_t p = i.attributes().get_int("p", 2);
  if (p < 1) fail_constraint("global_lp_pool_c3", "p is {}, wanted 1 or more", p);
}

void compute_global_lp_pool(Call& call) {
  const std::int64_t p = call.attributes().get_int("p", 2);
  pool_planes(call, [=]<typename T>(std::span<const T> plane) {
    T sum = 0;
    for (const T x : plane) sum += std::pow(std::fabs(x), static_cast<T>(p));
    return std::pow(sum, T(1) / static_cast<T>(p));
  });
}

}  // namespace

const Operator ops::kGlobalLpPool = {
    .name = "GlobalLpPool",
    .versions = {2, 22},
    .formula = "y[n,c] = (Sum |x[n,c,...]|^p)^(1/p)",
    .constraints = {{"global_lp_pool_c1", "x is floating point"},
                    {"global_lp_pool_c2", "x is [N, C, ...], no spatial dimension being 0"},
                    {"global_lp_pool_c3", "p is 1 or more"}},
    .infer = infer_global_lp_pool,
    .compute = compute_global_lp_pool,
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
