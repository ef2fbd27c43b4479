// conv.cc: the meaning of Conv.
//
//   y[n, o, i] = Sum_c Sum_u w[o, c, u] * x[n, c, i * stride + u * dilation - pad] + b[o]
//
// over every spatial axis and over the C/group input channels of o's group. Padding reads as 0. The sum is in the type
// of x (float32 for the half types), over c, then u in row-major order, a product and its addition rounded once,
// together; b comes last. window.h says how auto_pad, pads and the output size follow from one another.
#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/convolution_shape.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/convolve.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

constexpr ConvolutionLabels kConvLabels = {.dimensions = "conv_c2", .window = "conv_c4"};

void infer_conv(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "conv_c1");
  require_same_type(i, 1, 0, "conv_c1");
  if (i.has(2)) require_same_type(i, 2, 0, "conv_c1");
  const std::optional<SymbolicShape>&x = i.input(0).shape, &w = i.input(1).shape;
  ConvolutionShape shape = resolve_convolution(i.attributes(), x, w, kConvLabels);
  if (w) {
    if ((*w)[1].is(0)) fail_constraint("conv_c2", "w is {}, wanted at least one input channel", to_string(*w));
    require_shape(i, 2, {(*w)[0]}, "conv_c3");
  }
  i.set_output(0, i.dtype(0), std::move(shape.output));
}

template <typename T>
void convolve_as(Call& call) {
  const Shape &x = call.input(0).shape(), &w = call.input(1).shape();
  const ConvolutionShape shape = resolve_convolution(call.attributes(), symbolic(x), symbolic(w), kConvLabels);
  convolve<T>({.batch = x[0], .groups = shape.group, .in_channels = w[1], .out_channels = w[0] / shape.group},
              convolution_axes(*shape.window, {x.begin() + 2, x.end()}, ConvolutionDirection::kForward),
              call.input(0).as<T>().data(), call.input(1).as<T>().data(),
              call.has(2) ? call.input(2).as<T>().data() : nullptr, call.output(0).mutable_as<T>().data(),
              call.parallel());
}

void compute_conv(Call& call) {
  visit_float(call.output_dtype(0), [&]<typename T>() { convolve_as<T>(call); });
}

}  // namespace

const Operator ops::kConv = {
    .name = "Conv",
    .versions = {1, 11, 22},
    .formula = "y[n,o,i] = Sum_c,u w[o,c,u] * x[n,c,i*stride+u*dilation-pad] + b[o]",
    .constraints = {{"conv_c1", "x, w and b have the same floating-point type"},
                    {"conv_c2",
                     "x is [N, C, D1, ...] and w is [M, C/group, k1, ...], of one rank, 3 or more; group is positive "
                     "and divides M, and C/group is at least 1"},
                    {"conv_c3", "b is [M]"},
                    {"conv_c4",
                     "strides, dilations and pads have an entry per spatial axis, kernel_shape is w's, and the "
                     "window fits the padded input"}},
    .infer = infer_conv,
    .compute = compute_conv,
    .traits = {Trait::kWeighted, Trait::kSumOfProducts},
    .macs = MacRule::kConvolution,
};

}  // namespace octet
