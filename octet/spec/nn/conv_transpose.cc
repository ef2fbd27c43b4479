// conv_transpose.cc: the meaning of ConvTranspose.
//
//   y[n, o, i] = Sum_c Sum_u w[c, o, u] * x[n, c, j] + b[o]          over j * stride + u * dilation - pad = i
//
// over every spatial axis and over the C/group input channels of o's group. The sum is in the type of x (float32 for
// the half types), over c, then u in row-major order, a product and its addition rounded once, together; b comes last.
// window.h says how auto_pad, pads, output_padding, output_shape and the output size follow from one another.
#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/convolution_shape.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/convolve.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_conv_transpose(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "conv_transpose_c1");
  require_same_type(i, 1, 0, "conv_transpose_c1");
  if (i.has(2)) require_same_type(i, 2, 0, "conv_transpose_c1");
  const std::int64_t group = i.attributes().get_int("group", 1);
  if (group < 1) fail_constraint("conv_transpose_c2", "group is {}, wanted 1 or more", group);
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), std::nullopt);

  const SymbolicShape& x = i.shape(0);
  if (x.size() < 3) fail_constraint("conv_transpose_c2", "x is {}, wanted 3 dimensions or more", to_string(x));
  require_rank(i, 1, x.size(), "conv_transpose_c2");
  Dim channels_out;
  if (i.has_shape(1)) {
    const SymbolicShape& w = i.shape(1);
    channels_out = w[1] * group;
    if (surely_different(x[1], w[0]))
      fail_constraint("conv_transpose_c2", "x has {} channels, w has {}", to_string(x[1]), to_string(w[0]));
    if (w[0].known() && (w[0].value() % group != 0 || w[0].value() == 0))
      fail_constraint("conv_transpose_c2", "{} channels do not make {} groups", w[0].value(), group);
  }
  require_shape(i, 2, {channels_out}, "conv_transpose_c3");

  SymbolicShape y = {x[0], channels_out};
  if (auto kernel = kernel_size(i.attributes(), i.input(1).shape, x.size() - 2, "conv_transpose_c4")) {
    const Window window =
        resolve_transposed_window(i.attributes(), {x.begin() + 2, x.end()}, *std::move(kernel), "conv_transpose_c4");
    y.insert(y.end(), window.output.begin(), window.output.end());
  } else {
    y.resize(x.size());
  }
  i.set_output(0, i.dtype(0), std::move(y));
}

// [C, M/group, k] as [group][M/group, C/group, k]: the rows that convolve() wants.
template <typename T>
std::vector<T> by_output_channel(std::span<const T> w, const ConvolutionSize& size, std::int64_t taps) {
  std::vector<T> rows(w.size());
  auto to = rows.begin();
  for (std::int64_t g = 0; g < size.groups; ++g)
    for (std::int64_t m = 0; m < size.out_channels; ++m)
      for (std::int64_t c = 0; c < size.in_channels; ++c) {
        const std::int64_t from = ((g * size.in_channels + c) * size.out_channels + m) * taps;
        to = std::copy_n(w.begin() + from, taps, to);
      }
  return rows;
}

template <typename T>
void convolve_transposed(Call& call) {
  const Shape &x = call.input(0).shape(), &w = call.input(1).shape();
  const std::int64_t group = call.attributes().get_int("group", 1);
  const ConvolutionSize size = {.batch = x[0], .groups = group, .in_channels = w[0] / group, .out_channels = w[1]};
  const Shape spatial(x.begin() + 2, x.end());
  const Window window =
      resolve_transposed_window(call.attributes(), symbolic(spatial), {w.begin() + 2, w.end()}, "conv_transpose_c4");
  if (call.output(0).size() == 0) return;
  const std::vector<T> rows = by_output_channel(call.input(1).as<T>(), size, element_count(window.kernel));
  convolve<T>(size, convolution_axes(window, spatial, ConvolutionDirection::kTransposed), call.input(0).as<T>().data(),
              rows.data(), call.has(2) ? call.input(2).as<T>().data() : nullptr, call.output(0).mutable_as<T>().data(),
              call.parallel());
}

void compute_conv_transpose(Call& call) {
  visit_float(call.output_dtype(0), [&]<typename T>() { convolve_transposed<T>(call); });
}

}  // namespace

const Operator ops::kConvTranspose = {
    .name = "ConvTranspose",
    .versions = {1, 11, 22},
    .formula = "y[n,o,i] = Sum_c,u w[c,o,u] * x[n,c,j] + b[o], j*stride+u*dilation-pad = i",
    .constraints = {{"conv_transpose_c1", "x, w and b have the same floating-point type"},
                    {"conv_transpose_c2",
                     "x is [N, C, D1, ...] and w is [C, M/group, k1, ...], of one rank, 3 or more; group is positive "
                     "and divides C, which is at least 1"},
                    {"conv_transpose_c3", "b is [M]"},
                    {"conv_transpose_c4",
                     "strides, dilations, pads, output_padding and output_shape have an entry per spatial axis, "
                     "kernel_shape is w's, and the output size is not negative"}},
    .infer = infer_conv_transpose,
    .compute = compute_conv_transpose,
    .traits = {Trait::kWeighted, Trait::kManyTerms},
    .macs = MacRule::kTransposedConvolution,
};

}  // namespace octet
