#include "octet/spec/quantized/qlinear_conv.h"

#include <algorithm>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/convolution_shape.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/view.h"

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

// [N, C, spatial...] of [N, spatial..., C]: where each axis comes from.
std::vector<std::size_t> channels_first_order(std::size_t rank) {
  std::vector<std::size_t> order(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) order[axis] = axis == 0 ? 0 : axis == 1 ? rank - 1 : axis - 1;
  return order;
}

bool is_channels_last(const Attributes& attributes) { return attributes.get_int("channels_last", 0) != 0; }

// `last`: x and y are channels-last.
void infer_qlinear_conv_as(Inference& i, bool last) {
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

  std::optional<SymbolicShape> x = i.input(kX).shape;
  const std::optional<SymbolicShape>& w = i.input(kW).shape;
  if (last && x && x->size() > 2) std::rotate(x->begin() + 1, x->end() - 1, x->end());
  ConvolutionShape shape = resolve_convolution(i.attributes(), x, w, kQLinearConvLabels);
  if (w && (*w)[1].is(0)) fail_constraint("qlinear_conv_c2", "w is {}, wanted an input channel", to_string(*w));
  const Dim outputs = w ? (*w)[0] : Dim();
  require_one_or(i, kWScale, outputs, "qlinear_conv_c3");
  require_one_or(i, kWZeroPoint, outputs, "qlinear_conv_c3");
  if (i.has_shape(kBias) && (i.shape(kBias).size() != 1 || surely_different(i.shape(kBias)[0], outputs)))
    fail_constraint("qlinear_conv_c5", "B is {}, wanted [{}]", to_string(i.shape(kBias)), to_string(outputs));
  if (last && shape.output) std::rotate(shape.output->begin() + 1, shape.output->begin() + 2, shape.output->end());
  i.set_output(0, i.dtype(kYZeroPoint), std::move(shape.output));
}

// x is [N, C, spatial...], and so is y.
void compute_qlinear_conv_of(const Call& call, const Tensor& from, Tensor& y) {
  using enum QLinearConvInput::Index;
  const ConvolutionShape shape = resolve_convolution(call.attributes(), symbolic(from.shape()),
                                                     symbolic(call.input(kW).shape()), kQLinearConvLabels);
  const Quantization x = quantization_at(call, kXScale, kXZeroPoint);
  QLinearConvParameters parameters;
  parameters.convolution = {.group = shape.group, .window = *shape.window, .x_zero_point = x.zero_point};
  if (call.has(kWZeroPoint)) parameters.convolution.w_zero_points = zero_points_at(call, kWZeroPoint);
  if (call.has(kBias)) parameters.convolution.bias = call.input(kBias).as<std::int32_t>();
  parameters.x_scale = x.scale;
  parameters.w_scales = scales_at(call, kWScale);
  parameters.y = quantization_at(call, kYScale, kYZeroPoint);
  qlinear_conv(parameters, from, call.input(kW), y, call.arithmetic(), call.parallel());
}

void compute_qlinear_conv(Call& call) {
  compute_qlinear_conv_of(call, call.input(QLinearConvInput::kX), call.output(0));
}

// x and y through views with their channels first.
void compute_microsoft_qlinear_conv(Call& call) {
  if (!is_channels_last(call.attributes())) return compute_qlinear_conv(call);
  const auto channels_first = [](const Tensor& tensor) {
    std::pair<Shape, View> result;
    const std::vector<std::int64_t> strides = strides_of(tensor.shape());
    for (const std::size_t axis : channels_first_order(tensor.shape().size())) {
      result.first.push_back(tensor.shape()[axis]);
      result.second.strides.push_back(strides[axis]);
    }
    return result;
  };
  const Tensor& from = call.input(QLinearConvInput::kX);
  const auto [x_shape, x_view] = channels_first(from);
  Tensor x = Tensor::uninitialized(from.dtype(), x_shape);
  copy_elements(call.parallel(), x_shape, from, x_view, x, {.strides = strides_of(x_shape)});
  const auto [y_shape, y_view] = channels_first(call.output(0));
  Tensor y = Tensor::uninitialized(call.output_dtype(0), y_shape);
  compute_qlinear_conv_of(call, x, y);
  copy_elements(call.parallel(), y_shape, y, {.strides = strides_of(y_shape)}, call.output(0), y_view);
}

const std::vector<Constraint>& qlinear_conv_constraints() {
  static const std::vector<Constraint> constraints = {
      {"qlinear_conv_c1",
       "x, w and y are int8 or uint8, each zero point has its tensor's type; the "
       "scales are float32; B is int32"},
      {"qlinear_conv_c2",
       "x is [N, C, D1, ...], w is [M, C/group, k1, ...], of one rank, 3 or more; "
       "group divides M; C/group is at least 1"},
      {"qlinear_conv_c3", "x's and y's scale and zero point have one element, w's one or M"},
      {"qlinear_conv_c4",
       "kernel_shape, strides, dilations, pads and auto_pad fit the shapes, and the "
       "window fits the image"},
      {"qlinear_conv_c5", "B is [M]"}};
  return constraints;
}

}  // namespace

const Operator ops::kQLinearConv = {
    .name = "QLinearConv",
    .versions = {10},
    .formula =
        "y = saturate(round(acc * ((x_scale * w_scale) / y_scale)) + y_zero_point), "
        "acc = B + ConvInteger(x, w, x_zero_point, w_zero_point)",
    .constraints = qlinear_conv_constraints(),
    .infer = [](Inference& i) { infer_qlinear_conv_as(i, false); },
    .compute = compute_qlinear_conv,
    .inputs = {Role::kX, Role::kXScale, Role::kXZeroPoint, Role::kW, Role::kWScale, Role::kWZeroPoint, Role::kYScale,
               Role::kYZeroPoint, Role::kBias},
    .outputs = {Role::kY},
    .kind = StepKind::kConvolution,
    .macs = MacRule::kConvolution,
    .float_form = &ops::kConv,
};

// It has no roles: programs hold the standard's (graph/rewrite/channels_first.cc), but for those that are as written.
const Operator ops::kMicrosoftQLinearConv = {
    .name = "QLinearConv",
    .domain = "com.microsoft",
    .versions = {1},
    .formula = "QLinearConv of ai.onnx; with channels_last = 1 x is [N, D1, ..., C], and y likewise",
    .constraints = qlinear_conv_constraints(),
    .infer = [](Inference& i) { infer_qlinear_conv_as(i, is_channels_last(i.attributes())); },
    .compute = compute_microsoft_qlinear_conv,
    .macs = MacRule::kConvolution,
    .float_form = &ops::kConv,
};

}  // namespace octet
