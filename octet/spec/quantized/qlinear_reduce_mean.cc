// qlinear_reduce_mean.cc: the meaning of com.microsoft QLinearReduceMean, for which ONNX Runtime has the definition and no
// kernel.
//
//   reduced = QuantizeLinear(ReduceMean(DequantizeLinear(data)))
//
// Each number is dequantized in float32, the mean summed in float64 and rounded once to float32 (reduce.h), and quantized by
// a division. `axes` is an attribute; without it all are reduced.
//
//   qlinear_reduce_mean_c1  data and reduced are both int8 or both uint8, so are the zero points; the scales are float32.
//   qlinear_reduce_mean_c2  each scale and zero point has one element.
//   qlinear_reduce_mean_c3  axes are in [-rank, rank - 1], each at most once.
#include <limits>

#include "octet/base/visit.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/quantize_linear.h"
#include "octet/spec/support/reduce.h"

namespace octet {
namespace {

constexpr int kNeverAnInput = std::numeric_limits<int>::max();  // axes

void infer_qlinear_reduce_mean(Inference& i) {
  require_8bit(i, 0, "qlinear_reduce_mean_c1");
  for (const std::size_t scale : {1U, 3U})
    require_quantization(i, i.dtype(0), scale, scale + 1, {"qlinear_reduce_mean_c1", "qlinear_reduce_mean_c2"});
  infer_reduce(i, kNeverAnInput, "qlinear_reduce_mean_c3");
}

void compute_qlinear_reduce_mean(Call& call) {
  const Quantization x = quantization_at(call, 1, 2), y = quantization_at(call, 3, 4);
  visit_8bit(call.output_dtype(0), [&]<typename T>() {
    const IntegerRange range = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    const auto count = static_cast<double>(ReduceLayout(call, kNeverAnInput).elements());
    fold_as<T>(
        call, kNeverAnInput, 0.0,
        [=](double sum, T number) {
          return sum + static_cast<double>(static_cast<float>(number - x.zero_point) * x.scale);
        },
        [=, rounding = call.arithmetic().rounding](double sum) {
          return static_cast<T>(quantize_linear(static_cast<float>(sum / count), y, range, rounding));
        });
  });
}

}  // namespace

const Operator ops::kQLinearReduceMean = {
    .name = "QLinearReduceMean",
    .domain = "com.microsoft",
    .versions = {1},
    .formula =
        "reduced = saturate(round(mean of ((data - data_zero_point) * data_scale) / reduced_scale) + "
        "reduced_zero_point)",
    .constraints = {{"qlinear_reduce_mean_c1",
                     "data and reduced are both int8 or both uint8, so are the zero points; the scales are float32"},
                    {"qlinear_reduce_mean_c2", "each scale and zero point has one element"},
                    {"qlinear_reduce_mean_c3", "axes are in [-rank, rank - 1], each at most once"}},
    .infer = infer_qlinear_reduce_mean,
    .compute = compute_qlinear_reduce_mean,
    .float_form = &ops::kReduceMean,
};

}  // namespace octet
