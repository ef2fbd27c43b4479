#include "octet/spec/quantized/conv_integer.h"

#include <algorithm>

#include "octet/spec/check.h"
#include "octet/spec/convolution_shape.h"
#include "octet/spec/operators.h"
#include "octet/spec/quantized/parameters.h"

namespace octet {

void conv_integer(const IntegerConvolution& convolution, const Tensor& x, const Tensor& w, Tensor& y,
                  const Arithmetic& arithmetic, const Parallel& parallel) {
  const std::int64_t outputs = y.shape()[1], positions = element_count(Shape(y.shape().begin() + 2, y.shape().end()));
  std::int32_t* to = y.mutable_as<std::int32_t>().data();
  convolve_integers(convolution, x, w, arithmetic, parallel, [&](const ConvolutionTile& tile) {
    for (std::int64_t m = 0; m < outputs; ++m)
      std::copy_n(tile.accumulators.data() + m * tile.count, tile.count,
                  to + (tile.image * outputs + m) * positions + tile.first);
  });
}

namespace {

constexpr ConvolutionLabels kConvIntegerLabels = {.dimensions = "conv_integer_c2", .window = "conv_integer_c4"};

void infer_conv_integer(Inference& i) {
  require_8bit(i, 0, "conv_integer_c1");
  require_8bit(i, 1, "conv_integer_c1");
  require_dtype(i, 2, i.dtype(0), "conv_integer_c1");
  require_dtype(i, 3, i.dtype(1), "conv_integer_c1");
  const std::optional<SymbolicShape>&x = i.input(0).shape, &w = i.input(1).shape;
  ConvolutionShape shape = resolve_convolution(i.attributes(), x, w, kConvIntegerLabels);
  if (w && (*w)[1].is(0)) fail_constraint("conv_integer_c2", "w is {}, wanted an input channel", to_string(*w));
  require_one_element(i, 2, "conv_integer_c3");
  require_one_or(i, 3, w ? (*w)[0] : Dim(), "conv_integer_c3");
  i.set_output(0, DType::kInt32, std::move(shape.output));
}

void compute_conv_integer(Call& call) {
  const ConvolutionShape shape = resolve_convolution(call.attributes(), symbolic(call.input(0).shape()),
                                                     symbolic(call.input(1).shape()), kConvIntegerLabels);
  IntegerConvolution convolution = {.group = shape.group, .window = *shape.window};
  if (call.has(2)) convolution.x_zero_point = zero_points_at(call, 2)[0];
  if (call.has(3)) convolution.w_zero_points = zero_points_at(call, 3);
  conv_integer(convolution, call.input(0), call.input(1), call.output(0), call.arithmetic(), call.parallel());
}

}  // namespace

const Operator ops::kConvInteger = {
    .name = "ConvInteger",
    .versions = {10},
    .formula =
        "y[n,o,i] = Sum_c,u (x[n,c,i*stride+u*dilation-pad] - x_zero_point) * (w[o,c,u] - w_zero_point[o]), "
        "int32",
    .constraints = {{"conv_integer_c1",
                     "x is int8 or uint8, w is int8 or uint8, each zero point has its tensor's "
                     "type"},
                    {"conv_integer_c2",
                     "x is [N, C, D1, ...], w is [M, C/group, k1, ...], of one rank, 3 or more; "
                     "group divides M; C/group is at least 1"},
                    {"conv_integer_c3", "x_zero_point has one element, w_zero_point one or M"},
                    {"conv_integer_c4",
                     "kernel_shape, strides, dilations, pads and auto_pad fit the shapes, and the "
                     "window fits the image"}},
    .infer = infer_conv_integer,
    .compute = compute_conv_integer,
    .inputs = {Role::kX, Role::kW, Role::kXZeroPoint, Role::kWZeroPoint},
    .outputs = {Role::kY},
    .kind = StepKind::kConvolution,
    .macs = MacRule::kConvolution,
    .float_form = &ops::kConv,
};

}  // namespace octet
