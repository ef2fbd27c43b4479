// max_pool.cc: the meaning of MaxPool.
//
//   y[n, c, o] = max over the window of x[n, c, ...];      indices[n, c, o] = where it is, the first of equals
//
// Padding does not take part; the maximum of a window without elements is the type's lowest value, at index -1. Indices
// count all elements of x in row-major order; with storage_order = 1 the spatial axes count in column-major order.
// NaN counts where it is the first of its window, else not; in ONNX Runtime, too, it depends on where in the window it stands.
// window.h says how auto_pad, pads, ceil_mode and the output size follow from one another.
#include <limits>

#include "octet/base/visit.h"
#include "octet/spec/check.h"
#include "octet/spec/operators.h"
#include "octet/spec/support/pool.h"

namespace octet {
namespace {

void infer_max_pool(Inference& i) {
  const DType dtype = i.dtype(0);
  if (!is_float(dtype) && dtype != DType::kInt8 && dtype != DType::kUint8)
    fail_constraint("max_pool_c1", "x is {}, wanted a floating-point type, int8 or uint8", name(dtype));
  const std::optional<SymbolicShape> shape = infer_pool(i, "max_pool_c2");
  i.set_output(0, dtype, shape);
  i.set_output(1, DType::kInt64, shape);
}

// A row-major offset into `shape` counted in column-major order.
std::int64_t column_major(std::int64_t offset, const Shape& shape) {
  std::int64_t index = 0, step = element_count(shape);
  for (std::size_t d = shape.size(); d-- > 0; offset /= shape[d]) {
    step /= shape[d];
    index += offset % shape[d] * step;
  }
  return index;
}

template <typename T>
void max_pool_as(Call& call) {
  const Shape& shape = call.input(0).shape();
  const Shape image(shape.begin() + 2, shape.end());
  const PoolWindows windows(pool_window(call), image);
  const bool by_column = call.attributes().get_int("storage_order", 0) != 0;
  const T* x = call.input(0).as<T>().data();
  T* y = call.output(0).mutable_as<T>().data();
  std::int64_t* indices = call.wants(1) ? call.output(1).mutable_as<std::int64_t>().data() : nullptr;
  const std::int64_t planes = shape[0] * shape[1];

  windows.for_each_run(call.parallel(), [&](std::int64_t first, const std::vector<PoolWindows::Taps>& taps) {
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      const std::int64_t from = plane * windows.image_size();
      std::int64_t to = plane * windows.count() + first;
      for (const PoolWindows::Taps& tap : taps) {
        T best = std::numeric_limits<T>::lowest();
        std::int64_t where = -1;
        for (const std::int64_t offset : tap.offsets)
          if (where < 0 || x[from + offset] > best) {
            best = x[from + offset];
            where = offset;
          }
        if (indices != nullptr) indices[to] = where < 0 ? -1 : from + (by_column ? column_major(where, image) : where);
        y[to++] = best;
      }
    }
  });
}

void compute_max_pool(Call& call) {
  if (is_integer(call.output_dtype(0)))
    visit_8bit(call.output_dtype(0), [&]<typename T>() { max_pool_as<T>(call); });
  else
    visit_float(call.output_dtype(0), [&]<typename T>() { max_pool_as<T>(call); });
}

}  // namespace

const Operator ops::kMaxPool = {
    .name = "MaxPool",
    .versions = {1, 8, 10, 11, 12, 22},
    .formula = "y[n,c,o] = max over the window of x[n,c,o*stride+k*dilation-pad]",
    .constraints = {{"max_pool_c1", "x is floating point, int8 or uint8"},
                    {"max_pool_c2",
                     "x is [N, C, D1, ...], kernel_shape, strides, dilations and pads have an entry per spatial axis, "
                     "and the window fits the padded input"}},
    .infer = infer_max_pool,
    .compute = compute_max_pool,
    .inputs = {Role::kX},
    .outputs = {Role::kY},
    .traits = {Trait::kPool},
};

}  // namespace octet
