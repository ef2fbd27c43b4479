// average_pool.cc: the meaning of AveragePool.
//
//   y[n, c, o] = Sum over the window of x[n, c, ...] / count
//
// count is the number of elements of the window inside the image; with count_include_pad = 1 those in the padding count
// as zeros, but not what ceil_mode adds beyond it. A window without elements gives NaN, as 0 / 0. The sum is in the
// type of x (float32 for the half types), in row-major order. window.h says how auto_pad, pads, ceil_mode and the
// output size follow from one another.
//
// Before opset 19 ONNX Runtime has other kernels, and so another order for float32: pool_order.h.
#include <algorithm>
#include <span>

#include "octet/base/visit.h"
#include "octet/spec/operators.h"
#include "octet/spec/pool_order.h"
#include "octet/spec/support/lane_sums.h"
#include "octet/spec/support/pool.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

void infer_average_pool(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "average_pool_c1");
  static_cast<void>(i.attributes().get_int("count_include_pad", 0));  // throws where it is none
  i.set_output(0, i.dtype(0), infer_pool(i, "average_pool_c2"));
}

// `padded` says that a column lies in the padding: a zero, which makes -0 positive.
template <typename T>
T sum_by_columns(const T* x, const PoolWindows::Taps& taps, bool padded, bool from_zero) {
  T sum = 0;
  for (std::int64_t column = 0; column < taps.columns; ++column) {
    T part = from_zero ? T(0) : T(-0.0);
    for (auto k = static_cast<std::size_t>(column); k < taps.offsets.size();
         k += static_cast<std::size_t>(taps.columns))
      part += x[taps.offsets[k]];
    sum = column == 0 && !padded ? part : sum + part;
  }
  return sum;
}

template <typename T>
void average_pool_as(Call& call) {
  const Shape& shape = call.input(0).shape();
  const Shape image(shape.begin() + 2, shape.end());
  const Window window = pool_window(call);
  const PoolWindows windows(window, image);
  const PoolOrder order =
      call.output_dtype(0) == DType::kFloat ? pool_order(call.opset(), window, image) : PoolOrder::kRowMajor;
  const auto sum_of = [&](const T* from, const PoolWindows::Taps& taps) {
    if constexpr (std::is_same_v<T, float>)
      if (order == PoolOrder::kPlane) return plane_sum(from, windows.image_size());
    if (order == PoolOrder::kColumns)
      return sum_by_columns(from, taps, taps.columns < window.kernel.back(), image.size() == 3);
    T sum = 0;
    for (const std::int64_t offset : taps.offsets) sum += from[offset];
    return sum;
  };
  const bool include_pad = call.attributes().get_int("count_include_pad", 0) != 0;
  const T* x = call.input(0).as<T>().data();
  T* y = call.output(0).mutable_as<T>().data();
  const std::int64_t planes = shape[0] * shape[1];

  windows.for_each_run(call.parallel(), [&](std::int64_t first, const std::vector<PoolWindows::Taps>& taps) {
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      const T* from = x + plane * windows.image_size();
      T* to = y + plane * windows.count() + first;
      for (const PoolWindows::Taps& tap : taps)
        *to++ = sum_of(from, tap) /
                static_cast<T>(include_pad ? tap.with_padding : static_cast<double>(tap.offsets.size()));
    }
  });
}

void compute_average_pool(Call& call) {
  visit_float(call.output_dtype(0), [&]<typename T>() { average_pool_as<T>(call); });
}

}  // namespace

const Operator ops::kAveragePool = {
    .name = "AveragePool",
    .versions = {1, 7, 10, 11, 19, 22},
    .turns = {19},
    .formula = "y[n,c,o] = mean over the window of x[n,c,o*stride+k*dilation-pad]",
    .constraints = {{"average_pool_c1", "x is floating point"},
                    {"average_pool_c2",
                     "x is [N, C, D1, ...], kernel_shape, strides, dilations and pads have an entry per spatial axis, "
                     "and the window fits the padded input"}},
    .infer = infer_average_pool,
    .compute = compute_average_pool,
    .traits = {Trait::kManyTerms, Trait::kPool},
};

}  // namespace octet
