// max_unpool.cc: the meaning of MaxUnpool.
//
//   y[indices[k]] = x[k] for every element k of x; 0 where no index points, y counted in row-major order
//
// y is [N, C, ...] with (d - 1) * stride + kernel - pads along each spatial axis of length d, or output_shape. As in
// ONNX Runtime the indices count the elements of y, whatever its shape. Of equal indices the last one counts.
//
//   max_unpool_c1  x is floating point; indices is int64 and shaped like x.
//   max_unpool_c2  x is [N, C, D1, ...]; kernel_shape, strides and pads have an entry per spatial axis (pads two), and
//                  y a positive length along each.
//   max_unpool_c3  output_shape is int64, and has an entry per axis of x.
//   max_unpool_c4  Indices are within y.
#include <algorithm>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/integers.h"
#include "octet/spec/support/require.h"
#include "octet/spec/support/types.h"

namespace octet {
namespace {

Dim unpooled_length(const Dim& length, std::int64_t kernel, std::int64_t stride, const Dim& pads) {
  if (kernel < 1 || stride < 1)
    fail_constraint("max_unpool_c2", "kernel {}, stride {}: wanted positive numbers", kernel, stride);
  const Dim result = (length - 1) * stride + kernel - pads;
  if (result.known() && result.value() < 1) fail_constraint("max_unpool_c2", "y would be {} long", result.value());
  return result;
}

SymbolicShape unpooled_shape(const Inference& i, const SymbolicShape& x) {
  const std::size_t axes = x.size() - 2;
  const std::vector<std::int64_t> kernel = i.attributes().get_ints("kernel_shape");
  const auto strides = i.attributes().get_ints("strides", std::vector<std::int64_t>(axes, 1));
  const auto pads = i.attributes().get_ints("pads", std::vector<std::int64_t>(2 * axes, 0));
  if (kernel.size() != axes || strides.size() != axes || pads.size() != 2 * axes)
    fail_constraint("max_unpool_c2", "{} kernel lengths, {} strides and {} pads for {} spatial axes", kernel.size(),
                    strides.size(), pads.size(), axes);
  SymbolicShape y = {x[0], x[1]};
  for (std::size_t k = 0; k < axes; ++k)
    y.push_back(unpooled_length(x[k + 2], kernel[k], strides[k], Dim(pads[k]) + pads[k + axes]));
  return y;
}

SymbolicShape stated_shape(const Inference& i, std::size_t rank) {
  if (i.dtype(2) != DType::kInt64) fail_constraint("max_unpool_c3", "output_shape is {}", name(i.dtype(2)));
  const std::optional<std::vector<Dim>> dims = dims_from(i, 2);
  if (!dims) return SymbolicShape(rank);
  const bool negative = std::ranges::any_of(*dims, [](const Dim& d) { return d.known() && d.value() < 0; });
  if (dims->size() != rank || negative)
    fail_constraint("max_unpool_c3", "output_shape is {}, wanted {} axes", to_string(*dims), rank);
  return *dims;
}

void infer_max_unpool(Inference& i) {
  require_type(i, 0, TypeKind::kFloat, "max_unpool_c1");
  if (i.dtype(1) != DType::kInt64) fail_constraint("max_unpool_c1", "indices is {}, wanted int64", name(i.dtype(1)));
  if (!i.has_shape(0)) return i.set_output(0, i.dtype(0), std::nullopt);
  const SymbolicShape& x = i.shape(0);
  if (x.size() < 3) fail_constraint("max_unpool_c2", "x is {}, wanted [N,C,D1,...]", to_string(x));
  require_shape(i, 1, x, "max_unpool_c1");
  const SymbolicShape y = i.has(2) ? stated_shape(i, x.size()) : unpooled_shape(i, x);
  const std::optional<Shape> known = concrete(y);
  if (const Tensor* indices = i.constant(1); indices && known) {
    const std::int64_t size = element_count(*known);
    for (const std::int64_t index : indices->as<std::int64_t>())
      if (index < 0 || index >= size) fail_constraint("max_unpool_c4", "index {}, wanted 0 to {}", index, size - 1);
  }
  i.set_output(0, i.dtype(0), y);
}

void compute_max_unpool(Call& call) {
  const std::span<const std::int64_t> indices = call.input(1).as<std::int64_t>();
  visit_float(call.output_dtype(0), [&]<typename T>() {
    const std::span<T> y = call.output(0).mutable_as<T>();
    std::ranges::fill(y, T(0));
    for (std::size_t k = 0; k < indices.size(); ++k) y[static_cast<std::size_t>(indices[k])] = call.input(0).as<T>()[k];
  });
}

}  // namespace

const Operator ops::kMaxUnpool = {
    .name = "MaxUnpool",
    .versions = {9, 11, 22},
    .formula = "y[indices[k]] = x[k], 0 elsewhere",
    .constraints = {{"max_unpool_c1", "x is floating point; indices is int64 and shaped like x"},
                    {"max_unpool_c2",
                     "x is [N, C, D1, ...]; kernel_shape, strides and pads have an entry per spatial axis (pads two), "
                     "and y a positive length along each"},
                    {"max_unpool_c3", "output_shape is int64, and has an entry per axis of x"},
                    {"max_unpool_c4", "indices are within y"}},
    .infer = infer_max_unpool,
    .compute = compute_max_unpool,
};

}  // namespace octet
