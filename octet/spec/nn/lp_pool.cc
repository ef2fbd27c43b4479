// lp_pool.cc: the meaning of LpPool.
//
//   y[n, c, o] = (Sum over the window of |x[n, c, ...]|^p)^(1/p)
//
// Padding adds nothing. The sum is in the type of x (float32 for the half types), in row-major order. window.h says how
// auto_pad, pads, ceil_mode and the output size follow from one another.
#include <cmath>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/pool.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_lp_pool(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "lp_pool_c1");
  const std::int64_t p = i.attributes().get_int("p", 2);
  if (p < 1) fail_constraint("lp_pool_c3", "p is {}, wanted 1 or more", p);
  i.set_output(0, i.dtype(0), infer_pool(i, "lp_pool_c2"));
}

template <typename T>
void lp_pool_as(Call& call) {
  const Shape& shape = call.input(0).shape();
  const PoolWindows windows(pool_window(call), {shape.begin() + 2, shape.end()});
  const auto p = static_cast<T>(call.attributes().get_int("p", 2));
  const T* x = call.input(0).as<T>().data();
  T* y = call.output(0).mutable_as<T>().data();
  windows.for_each_run(call.parallel(), [&](std::int64_t first, const std::vector<PoolWindows::Taps>& taps) {
    for (std::int64_t plane = 0; plane < shape[0] * shape[1]; ++plane) {
      T* to = y + plane * windows.count() + first;
      for (const PoolWindows::Taps& tap : taps) {
        T sum = 0;
        for (const std::int64_t offset : tap.offsets)
          sum += std::pow(std::fabs(x[plane * windows.image_size() + offset]), p);
        *to++ = std::pow(sum, T(1) / p);
      }
    }
  });
}

}  // namespace

const Operator ops::kLpPool = {
    .name = "LpPool",
    .versions = {2, 11, 18, 22},
    .formula = "y[n,c,o] = (Sum over the window of |x[n,c,...]|^p)^(1/p)",
    .constraints = {{"lp_pool_c1", "x is floating point"},
                    {"lp_pool_c2",
                     "x is [N, C, D1, ...], kernel_shape, strides, dilations and pads have an entry per spatial axis, "
                     "and the window fits the padded input"},
                    {"lp_pool_c3", "p is 1 or more"}},
    .infer = infer_lp_pool,
    .compute = [](Call& call) { visit_float(call.output_dtype(0), [&]<typename T>() { lp_pool_as<T>(call); }); },
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
