#include "octet/spec/quantized/qlinear_softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/softmax_axis.h"

namespace octet {
namespace {

// What x86 makes of a float that becomes a uint32 through int64.
std::uint32_t converted(float t, Rounding rounding) {
  return std::fabs(t) < 0x1p63F ? static_cast<std::uint32_t>(round_by(rounding, t)) : 0;
}

}  // namespace

QLinearSoftmax::QLinearSoftmax(float x_scale, const Quantization& y, DType dtype, std::int64_t length,
                               const Arithmetic& arithmetic)
    : steps_(std::floor(1.0F / y.scale)),
      output_(resolve({y.zero_point, integer_range(dtype), ZeroPoint::kAfterRounding, true}, arithmetic)),
      rounding_(arithmetic.rounding) {
  const double scale = x_scale;
  const float largest = std::log(std::numeric_limits<float>::max() / static_cast<float>(length));
  const double headroom = double{largest} - 5;
  const double shift = std::max(0.0, headroom) / scale;
  for (int i = 0; i < 256; ++i)
    exponentials_[static_cast<std::size_t>(i)] = static_cast<float>(std::exp((i - 255 + shift) * scale));
}

void QLinearSoftmax::operator()(std::span<const std::int32_t> x, std::span<std::int32_t> y) const {
  const std::int32_t max = *std::max_element(x.begin(), x.end());
  const auto exponential = [&](std::int32_t q) { return exponentials_[static_cast<std::size_t>(255 - (max - q))]; };
  float sum = 0;
  for (std::int32_t q : x) sum += exponential(q);
  for (std::size_t d = 0; d < x.size(); ++d) {
    const float t = exponential(x[d]) * steps_ / sum;
    if (output_.converts_first && output_.range.min == 0) {
      const std::uint32_t q = converted(t, rounding_) + static_cast<std::uint32_t>(output_.zero_point);
      y[d] = static_cast<std::int32_t>(std::min<std::uint32_t>(q, 255));
    } else {
      y[d] = quantize_real(t, output_, rounding_);
    }
  }
}

namespace {

void infer_qlinear_softmax(Inference& i) {
  require_8bit(i, 0, "qlinear_softmax_c1");
  require_quantization(i, i.dtype(0), 1, 2, {"qlinear_softmax_c1", "qlinear_softmax_c2"});
  require_quantization(i, i.dtype(0), 3, 4, {"qlinear_softmax_c1", "qlinear_softmax_c2"});
  if (!i.attributes().has("opset")) fail_constraint("qlinear_softmax_c3", "attribute opset is missing");
  if (i.has_shape(0))
    normalize_axis(qlinear_softmax_axis(i.attributes()).axis, i.shape(0).size(), "qlinear_softmax_c3");
  i.set_output(0, i.dtype(0), i.input(0).shape);
}

void compute_qlinear_softmax(Call& call) {
  const Tensor& x = call.input(0);
  if (x.size() == 0) return;
  const auto [axis, flattens] = qlinear_softmax_axis(call.attributes());
  const Lanes lanes = softmax_lanes(x.shape(), normalize_axis(axis, x.shape().size(), {}), flattens);
  const QLinearSoftmax softmax(quantization_at(call, 1, 2).scale, quantization_at(call, 3, 4), x.dtype(), lanes.length,
                               call.arithmetic());
  visit_8bit(x.dtype(), [&]<typename T>() {
    const T* from = x.as<T>().data();
    T* to = call.output(0).mutable_as<T>().data();
    call.parallel().for_each_block(lanes.count, 16, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::int32_t> row(static_cast<std::size_t>(lanes.length));
      for (std::int64_t r = begin; r < end; ++r) {
        const std::int64_t first = lanes.start(r);
        for (std::int64_t d = 0; d < lanes.length; ++d) row[static_cast<std::size_t>(d)] = from[first + d * lanes.step];
        softmax(row, row);
        for (std::int64_t d = 0; d < lanes.length; ++d)
          to[first + d * lanes.step] = static_cast<T>(row[static_cast<std::size_t>(d)]);
      }
    });
  });
}

}  // namespace

const Operator ops::kQLinearSoftmax = {
    .name = "QLinearSoftmax",
    .domain = "com.microsoft",
    .versions = {1},
    .formula =
        "Y = saturate(round(e * floor(1 / y_scale) / Sum e) + y_zero_point), e = exp(X_scale * (X - max X)) "
        "from a table",
    .constraints = {{"qlinear_softmax_c1",
                     "X and Y are both int8 or both uint8, so are the zero points; the scales "
                     "are float32"},
                    {"qlinear_softmax_c2", "each scale and zero point has one element"},
                    {"qlinear_softmax_c3", "opset is given; axis (-1 unless said) is within the rank"}},
    .infer = infer_qlinear_softmax,
    .compute = compute_qlinear_softmax,
    .inputs = {Role::kX, Role::kXScale, Role::kXZeroPoint, Role::kYScale, Role::kYZeroPoint},
    .outputs = {Role::kY},
    .kind = StepKind::kSoftmax,
    .float_form = &ops::kSoftmax,
};

}  // namespace octet
