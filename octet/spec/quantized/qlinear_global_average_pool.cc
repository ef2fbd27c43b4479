#include "octet/spec/quantized/qlinear_global_average_pool.h"

#include "octet/base/visit.h"
#include "octet/spec/accumulator.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"

namespace octet {

void qlinear_global_average_pool(const Tensor& x, const Quantization& x_quantization,
                                 const Quantization& y_quantization, bool channels_last, Tensor& y,
                                 const Arithmetic& arithmetic, const Parallel& parallel) {
  if (y.size() == 0) return;
  const std::int64_t channels = channels_last ? x.shape().back() : x.shape()[1];
  const std::int64_t pixels = x.size() / y.size();
  const Requantizer requantize(arithmetic, average_multiplier(x_quantization.scale, y_quantization.scale, pixels),
                               quantized_output(y.dtype(), y_quantization.zero_point, ZeroPoint::kAfterRounding));
  visit_8bit(x.dtype(), [&]<typename T>() {
    const T* from = x.as<T>().data();
    T* to = y.mutable_as<T>().data();
    with_accumulator(arithmetic, [&](auto accumulator) {
      parallel.for_each_block(y.size(), 64, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) {
          const T* pixel = channels_last ? from + k / channels * pixels * channels + k % channels : from + k * pixels;
          std::int32_t sum = 0;
          for (std::int64_t p = 0; p < pixels; ++p, pixel += channels_last ? channels : 1)
            sum = accumulator.add(sum, *pixel - x_quantization.zero_point);
          to[k] = static_cast<T>(requantize(sum, k % channels));
        }
      });
    });
  });
}

namespace {

void infer_qlinear_global_average_pool(Inference& i) {
  require_8bit(i, 0, "qlinear_global_average_pool_c1");
  require_quantization(i, i.dtype(0), 1, 2, {"qlinear_global_average_pool_c1", "qlinear_global_average_pool_c2"});
  require_quantization(i, i.dtype(0), 3, 4, {"qlinear_global_average_pool_c1", "qlinear_global_average_pool_c2"});
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), std::nullopt);
  SymbolicShape y = i.shape(0);
  if (y.size() < 3)
    fail_constraint("qlinear_global_average_pool_c3", "X is {}, wanted 3 dimensions or more", to_string(y));
  const bool channels_last = i.attributes().get_int("channels_last", 0) != 0;
  for (std::size_t d = 1; d < y.size(); ++d)
    if (d != (channels_last ? y.size() - 1 : 1)) y[d] = 1;
  i.set_output(0, i.dtype(0), y);
}

void compute_qlinear_global_average_pool(Call& call) {
  qlinear_global_average_pool(call.input(0), quantization_at(call, 1, 2), quantization_at(call, 3, 4),
                              call.attributes().get_int("channels_last", 0) != 0, call.output(0), call.arithmetic(),
                              call.parallel());
}

}  // namespace

const Operator ops::kQLinearGlobalAveragePool = {
    .name = "QLinearGlobalAveragePool",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "Y = saturate(round(Sum(X - x_zero_point) * (x_scale / (y_scale * pixels))) + y_zero_point)",
    .constraints = {{"qlinear_global_average_pool_c1",
                     "X and Y are both int8 or both uint8, so are the zero points; "
                     "the scales are float32"},
                    {"qlinear_global_average_pool_c2", "each scale and zero point has one element"},
                    {"qlinear_global_average_pool_c3", "X has 3 dimensions or more"}},
    .infer = infer_qlinear_global_average_pool,
    .compute = compute_qlinear_global_average_pool,
    .inputs = {Role::kX, Role::kXScale, Role::kXZeroPoint, Role::kYScale, Role::kYZeroPoint},
    .outputs = {Role::kY},
    .kind = StepKind::kPool,
    .float_form = &ops::kGlobalAveragePool,
};

}  // namespace octet
