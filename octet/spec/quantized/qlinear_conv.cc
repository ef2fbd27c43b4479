#include "octet/spec/quantized/qlinear_conv.h"

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/convolution_shape.h"

namespace octet {

void qlinear_conv(const QLinearConvParameters& parameters, const Tensor& x, const Tensor& w, Tensor& y,
                  const Arithmetic& arithmetic, const Parallel& parallel) {
  const std::int64_t outputs = y.shape()[1], positions = element_count(Shape(y.shape().begin() + 2, y.shape().end()));
  const QuantizedOutput output = quantized_output(y.dtype(), parameters.y.zero_point, ZeroPoint::kAfterRounding);
  std::vector<Requantizer> requantizers;  // by output channel
  for (std::int64_t m = 0; m < outputs; ++m)
    requantizers.emplace_back(
        arithmetic, requantization_multiplier(parameters.x_scale, one_or(parameters.w_scales, m), parameters.y.scale),
        output);
  visit_8bit(y.dtype(), [&]<typename T>() {
    T* to = y.mutable_as<T>().data();
    convolve_integers(parameters.convolution, x, w, arithmetic, parallel, [&](const ConvolutionTile& tile) {
      for (std::int64_t m = 0; m < outputs; ++m) {
        const auto row = static_cast<std::size_t>(m), count = static_cast<std::size_t>(tile.count);
        requantizers[row].requantize(tile.accumulators.subspan(row * count, count), m * positions + tile.first,
                                     to + (tile.image * outputs + m) * positions + tile.first);
      }
    });
  });
}

namespace {

constexpr ConvolutionLabels kQLinearConvLabels = {.dimensions = "qlinear_conv_c2", .window = "qlinear_conv_c4"};
struct QLinearConvInput {
  enum Index : std::size_t { kX, kXScale, kXZeroPoint, kW, kWScale, kWZeroPoint, kYScale, kYZeroPoint, kBias };
};

void infer_qlinear_conv(Inference& i) {
  using enum QLinearConvInput::Index;
  require_8bit(i, kX, "qlinear_conv_c1");
  require_8bit(i, kW, "qlinear_conv_c1");
  require_8bit(i, kYZeroPoint, "qlinear_conv_c1");
  i.input(kWScale);
  require_dtype(i, kWScale, DType::kFloat, "qlinear_conv_c1");
  require_dtype(i, kWZeroPoint, i.dtype(kW), "qlinear_conv_c1");
  require_dtype(i, kBias, DType::kInt32, "qlinear_conv_c1");
  require_quantization(i, i.dtype(kX), kXScale, kXZeroPoint, {"qlinear_conv_c1", "qlinear_conv_c3"});
  require_quantization(i, i.dtype(kYZeroPoint), kYScale, kYZeroPoint, {"qlinear_conv_c1", "qlinear_conv_c3"});

  const std::optional<SymbolicShape>&x = i.input(kX).shape, &w = i.input(kW).shape;
  ConvolutionShape shape = resolve_convolution(i.attributes(), x, w, kQLinearConvLabels);
  if (w && (*w)[1].is(0)) fail_constraint("qlinear_conv_c2", "w is {}, wanted an input channel", to_string(*w));
  const Dim outputs = w ? (*w)[0] : Dim();
  require_one_or(i, kWScale, outputs, "qlinear_conv_c3");
  require_one_or(i, kWZeroPoint, outputs, "qlinear_conv_c3");
  if (i.has_shape(kBias) && (i.shape(kBias).size() != 1 || surely_different(i.shape(kBias)[0], outputs)))
    fail_constraint("qlinear_conv_c5", "B is {}, wanted [{}]", to_string(i.shape(kBias)), to_string(outputs));
  i.set_output(0, i.dtype(kYZeroPoint), std::move(shape.output));
}

void compute_qlinear_conv(Call& call) {
  using enum QLinearConvInput::Index;
  const ConvolutionShape shape = resolve_convolution(call.attributes(), symbolic(call.input(kX).shape()),
                                                     symbolic(call.input(kW).shape()), kQLinearConvLabels);
  const Quantization x = quantization_at(call, kXScale, kXZeroPoint);
  QLinearConvParameters parameters;
  parameters.convolution = {.group = shape.group, .window = *shape.window, .x_zero_point = x.zero_point};
  if (call.has(kWZeroPoint)) parameters.convolution.w_zero_points = zero_points_at(call, kWZeroPoint);
  if (call.has(kBias)) parameters.convolution.bias = call.input(kBias).as<std::int32_t>();
  parameters.x_scale = x.scale;
  parameters.w_scales = scales_at(call, kWScale);
  parameters.y = quantization_at(call, kYScale, kYZeroPoint);
  qlinear_conv(parameters, call.input(kX), call.input(kW), call.output(0), call.arithmetic(), call.parallel());
}

}  // namespace

extern const Operator kQLinearConv = {
    .name = "QLinearConv",
    .versions = {10},
    .formula =
        "y = saturate(round(acc * ((x_scale * w_scale) / y_scale)) + y_zero_point), "
        "acc = B + ConvInteger(x, w, x_zero_point, w_zero_point)",
    .constraints = {{"qlinear_conv_c1",
                     "x, w and y are int8 or uint8, each zero point has its tensor's type; the "
                     "scales are float32; B is int32"},
                    {"qlinear_conv_c2",
                     "x is [N, C, D1, ...], w is [M, C/group, k1, ...], of one rank, 3 or more; "
                     "group divides M; C/group is at least 1"},
                    {"qlinear_conv_c3", "x's and y's scale and zero point have one element, w's one or M"},
                    {"qlinear_conv_c4",
                     "kernel_shape, strides, dilations, pads and auto_pad fit the shapes, and the "
                     "window fits the image"},
                    {"qlinear_conv_c5", "B is [M]"}},
    .infer = infer_qlinear_conv,
    .compute = compute_qlinear_conv,
    .inputs = {Role::kX, Role::kXScale, Role::kXZeroPoint, Role::kW, Role::kWScale, Role::kWZeroPoint, Role::kYScale,
               Role::kYZeroPoint, Role::kBias},
    .outputs = {Role::kY},
    .kind = StepKind::kConvolution,
};

}  // namespace octet
