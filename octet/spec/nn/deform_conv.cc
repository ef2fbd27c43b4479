// deform_conv.cc: the meaning of DeformConv.
//
//   y[n, o, i] = b[o] + Sum_c Sum_k w[o, c, k] * mask[n, g, k, i] * x[n, c, p]
//   p = i * stride - pad + k * dilation + offset
//
// over the taps k of the kernel and the C/group channels c of o's group; x between its elements is interpolated
// linearly, and 0 outside. offset[n, (g * K + k) * 2, i] moves tap k up and down, the next one left and right, for each
// of the offset_group groups g of input channels; mask is 1 unless given. The sum is in the type of x (float32 for the
// half types), over c, then k; b comes first.
//
//   deform_conv_c1  x, w, offset, b and mask have one floating-point type.
//   deform_conv_c2  x is [N, C, H, W], w is [M, C/group, kh, kw]; group divides C and M, offset_group divides C.
//   deform_conv_c3  offset is [N, offset_group * K * 2, oh, ow], mask [N, offset_group * K, oh, ow], b [M].
//   deform_conv_c4  kernel_shape is w's; strides, dilations and pads have an entry per axis and the window fits the
//                   padded input.
#include <cmath>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/convolution_shape.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

std::int64_t offset_groups(const Attributes& attributes) {
  const std::int64_t groups = attributes.get_int("offset_group", 1);
  if (groups < 1) fail_constraint("deform_conv_c2", "offset_group is {}, wanted 1 or more", groups);
  return groups;
}

ConvolutionShape deformed_shape(const Attributes& attributes, const std::optional<SymbolicShape>& x,
                                const std::optional<SymbolicShape>& w) {
  return resolve_convolution(attributes, x, w, {"deform_conv_c2", "deform_conv_c4"});
}

void require_offsets(const Inference& i, const SymbolicShape& y) {
  const SymbolicShape &x = i.shape(0), &w = i.shape(1);
  const std::int64_t groups = offset_groups(i.attributes());
  if (x[1].known() && x[1].value() % groups != 0)
    fail_constraint("deform_conv_c2", "{} channels do not make {} groups of offsets", x[1].value(), groups);
  const Dim taps = w[2] * w[3] * groups;
  require_shape(i, 2, {x[0], taps * 2, y[2], y[3]}, "deform_conv_c3");
  require_shape(i, 3, {y[1]}, "deform_conv_c3");
  require_shape(i, 4, {x[0], taps, y[2], y[3]}, "deform_conv_c3");
}

void infer_deform_conv(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "deform_conv_c1");
  for (std::size_t input = 1; input < 5; ++input)
    if (i.has(input)) require_same_type(i, input, 0, "deform_conv_c1");
  require_rank(i, 0, 4, "deform_conv_c2");
  require_rank(i, 1, 4, "deform_conv_c2");
  require_rank(i, 2, 4, "deform_conv_c3");
  const ConvolutionShape shape = deformed_shape(i.attributes(), i.input(0).shape, i.input(1).shape);
  if (shape.output && i.has_shape(0) && i.has_shape(1)) require_offsets(i, *shape.output);
  i.set_output(0, i.dtype(0), shape.output);
}

// The plane between its elements, 0 outside.
template <typename T>
T bilinear(const T* plane, std::int64_t height, std::int64_t width, T y, T x) {
  if (!(y > T(-1) && y < static_cast<T>(height) && x > T(-1) && x < static_cast<T>(width))) return 0;
  const T top = std::floor(y), left = std::floor(x), down = y - top, right = x - left;
  const auto row = static_cast<std::int64_t>(top), column = static_cast<std::int64_t>(left);
  const auto at = [&](std::int64_t r, std::int64_t c) {
    return r >= 0 && r < height && c >= 0 && c < width ? plane[r * width + c] : T(0);
  };
  return (1 - down) * (1 - right) * at(row, column) + (1 - down) * right * at(row, column + 1) +
         down * (1 - right) * at(row + 1, column) + down * right * at(row + 1, column + 1);
}

template <typename T>
void deform_conv_as(Call& call) {
  const Shape &x = call.input(0).shape(), &w = call.input(1).shape(), &y = call.output_shape(0);
  const ConvolutionShape shape = deformed_shape(call.attributes(), symbolic(x), symbolic(w));
  const Window& window = *shape.window;
  const std::int64_t groups = offset_groups(call.attributes()), taps = w[2] * w[3], places = y[2] * y[3];
  const T *plane = call.input(0).as<T>().data(), *weights = call.input(1).as<T>().data(),
          *offsets = call.input(2).as<T>().data(), *mask = call.has(4) ? call.input(4).as<T>().data() : nullptr;
  T* to = call.output(0).mutable_as<T>().data();
  const auto coordinate_of = [&](std::size_t axis, std::int64_t output, std::int64_t tap) {
    return static_cast<T>(output * window.strides[axis] - window.pads_begin[axis] + tap * window.dilations[axis]);
  };
  // What tap k of channel c reads for place i of image n, times its mask.
  const auto sample = [&](std::int64_t n, std::int64_t c, std::int64_t k, std::int64_t i) {
    const std::int64_t tap = (n * groups + c / (x[1] / groups)) * taps + k;
    const T row = coordinate_of(0, i / y[3], k / w[3]) + offsets[tap * 2 * places + i];
    const T column = coordinate_of(1, i % y[3], k % w[3]) + offsets[(tap * 2 + 1) * places + i];
    const T value = bilinear(plane + (n * x[1] + c) * x[2] * x[3], x[2], x[3], row, column);
    return mask ? mask[tap * places + i] * value : value;
  };
  call.parallel().for_each_block(x[0] * places, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> column(static_cast<std::size_t>(x[1] * taps));
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t n = at / places, i = at % places;
      for (std::int64_t k = 0; k < x[1] * taps; ++k)
        column[static_cast<std::size_t>(k)] = sample(n, k / taps, k % taps, i);
      for (std::int64_t o = 0; o < y[1]; ++o) {
        const T* read = column.data() + o / (y[1] / shape.group) * w[1] * taps;
        T sum = call.has(3) ? call.input(3).as<T>()[static_cast<std::size_t>(o)] : T(0);
        for (std::int64_t k = 0; k < w[1] * taps; ++k) sum += weights[o * w[1] * taps + k] * read[k];
        to[(n * y[1] + o) * places + i] = sum;
      }
    }
  });
}

}  // namespace

const Operator ops::kDeformConv = {
    .name = "DeformConv",
    .versions = {19, 22},
    .formula = "y[n,o,i] = b[o] + Sum_c,k w[o,c,k] * mask[n,g,k,i] * x[n,c,i*stride-pad+k*dilation+offset]",
    .constraints = {{"deform_conv_c1", "x, w, offset, b and mask have one floating-point type"},
                    {"deform_conv_c2",
                     "x is [N, C, H, W], w is [M, C/group, kh, kw]; group divides C and M, offset_group divides C"},
                    {"deform_conv_c3",
                     "offset is [N, offset_group * K * 2, oh, ow], mask [N, offset_group * K, oh, ow], b [M]"},
                    {"deform_conv_c4",
                     "kernel_shape is w's; strides, dilations and pads have an entry per axis and the window fits the "
                     "padded input"}},
    .infer = infer_deform_conv,
    .compute = [](Call& call) { visit_float(call.output_dtype(0), [&]<typename T>() { deform_conv_as<T>(call); }); },
    .traits = {Trait::kManyTerms},
};

}  // namespace octet
