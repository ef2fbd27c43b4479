// global_max_pool.cc: the meaning of GlobalMaxPool.
//
//   y[n, c, 1, ...] = max over the plane of x[n, c, ...]
#include <algorithm>

#include "octet/spec/operators.h"
#include "octet/spec/support/global_pool.h"

namespace octet {
namespace {

void infer_global_max_pool(Inference& i) { infer_global_pool(i, "global_max_pool_c1", "global_max_pool_c2"); }

void compute_global_max_pool(Call& call) {
  pool_planes(call, []<typename T>(std::span<const T> plane) { return *std::max_element(plane.begin(), plane.end()); });
}

}  // namespace

const Operator ops::kGlobalMaxPool = {
    .name = "GlobalMaxPool",
    .versions = {1, 22},
    .formula = "y[n,c] = max of x[n,c,...]",
    .constraints = {{"global_max_pool_c1", "x is floating point"},
                    {"global_max_pool_c2", "x is [N, C, ...], no spatial dimension being 0"}},
    .infer = infer_global_max_pool,
    .compute = compute_global_max_pool,
    .traits = {Trait::kPool},
};

}  // namespace octet
