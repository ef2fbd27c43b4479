// global_average_pool.cc: the meaning of GlobalAveragePool.
//
//   y[n, c, 1, ...] = Sum over the plane of x[n, c, ...] / size
//
// The sum is in the type of x (float32 for the half types): in order for float64, in the order of ONNX Runtime for float32
// (lane_sums.h).
#include "octet/spec/operators.h"
#include "octet/spec/support/global_pool.h"
#include "octet/spec/support/lane_sums.h"

namespace octet {
namespace {

void infer_global_average_pool(Inference& i) {
  infer_global_pool(i, "global_average_pool_c1", "global_average_pool_c2");
}

void compute_global_average_pool(Call& call) {
  pool_planes(call, []<typename T>(std::span<const T> plane) {
    if constexpr (std::is_same_v<T, float>) {
      const auto size = static_cast<std::int64_t>(plane.size());
      return plane_sum(plane.data(), size) / static_cast<float>(size);
    } else {
      double sum = 0;
      for (T value : plane) sum += value;
      return sum / static_cast<double>(plane.size());
    }
  });
}

}  // namespace

const Operator ops::kGlobalAveragePool = {
    .name = "GlobalAveragePool",
    .versions = {1, 22},
    .formula = "y[n,c] = mean of x[n,c,...]",
    .constraints = {{"global_average_pool_c1", "x is floating point"},
                    {"global_average_pool_c2", "x is [N, C, ...], no spatial dimension being 0"}},
    .infer = infer_global_average_pool,
    .compute = compute_global_average_pool,
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
