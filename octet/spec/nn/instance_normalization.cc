// instance_normalization.cc: the meaning of InstanceNormalization.
//
//   factor = 1 / sqrt(var + epsilon) * scale[c]
//   y[n, c, ...] = x[n, c, ...] * factor + (b[c] - mean * factor)
//
// mean and var (of the population) are those of the plane [n, c]. float32 (and the half types, which are computed in it) has
// ONNX Runtime's bits: each operation is rounded, and the sums are taken in the order of moments_in_vectors. float64 sums in
// the order of the elements.
#include <cmath>

#include "octet/base/vectorize.h"
#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/moments.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_instance_normalization(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "instance_normalization_c1");
  require_same_type(i, 1, 0, "instance_normalization_c1");
  require_same_type(i, 2, 0, "instance_normalization_c1");
  if (i.has_shape(0)) {
    const SymbolicShape& x = i.shape(0);
    if (x.size() < 3) fail_constraint("instance_normalization_c2", "x is {}, wanted [N,C,D1,...]", to_string(x));
    require_shape(i, 1, {x[1]}, "instance_normalization_c2");
    require_shape(i, 2, {x[1]}, "instance_normalization_c2");
  }
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

void compute_instance_normalization(Call& call) {
  visit_float(call.output_dtype(0), [&]<typename T>() {
    const Shape& shape = call.input(0).shape();
    const std::int64_t size = element_count(std::span(shape).subspan(2));
    const T epsilon = static_cast<T>(call.attributes().get_float("epsilon", 1e-5F));
    const T* x = call.input(0).as<T>().data();
    const std::span<const T> scale = call.input(1).as<T>(), bias = call.input(2).as<T>();
    T* y = call.output(0).mutable_as<T>().data();
    call.parallel().for_each_block(shape[0] * shape[1], 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t plane = begin; plane < end; ++plane) {
        const auto c = static_cast<std::size_t>(plane % shape[1]);
        const Moments<T> moments = moments_in_vectors(x + plane * size, size, plane * size);
        const T factor = T{1} / std::sqrt(moments.variance + epsilon) * scale[c],
                shift = bias[c] - moments.mean * factor;
        vectorized_float<T>([=, from = x + plane * size, to = y + plane * size] {
          for (std::int64_t k = 0; k < size; ++k) to[k] = from[k] * factor + shift;
        });
      }
    });
  });
}

}  // namespace

const Operator ops::kInstanceNormalization = {
    .name = "InstanceNormalization",
    .versions = {1, 6, 22},
    .formula = "y = (x - mean) / sqrt(var + epsilon) * scale + b, per instance and channel",
    .constraints = {{"instance_normalization_c1", "x, scale and b have the same floating-point type"},
                    {"instance_normalization_c2", "x is [N, C, D1, ...]; scale and b are [C]"}},
    .infer = infer_instance_normalization,
    .compute = compute_instance_normalization,
    .traits = {Trait::kManyTerms, Trait::kFunction},
};

}  // namespace octet
