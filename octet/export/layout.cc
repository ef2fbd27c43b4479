#include "octet/export/layout.h"

#include <cstring>
#include <numeric>

#include "octet/base/fail.h"

namespace octet {
namespace {

// Calls copy(place in the file, place in row-major order) for each element.
template <typename Copy>
void for_each_stored(const Shape& shape, const std::vector<std::size_t>& axes, const Copy& copy) {
  const std::vector<std::int64_t> strides = strides_of(shape);
  Shape index(shape.size(), 0);
  const std::int64_t count = element_count(shape);
  for (std::int64_t stored = 0; stored < count; ++stored) {
    std::int64_t own = 0;
    for (std::size_t d = 0; d < axes.size(); ++d) own += index[d] * strides[axes[d]];
    copy(static_cast<std::size_t>(stored), static_cast<std::size_t>(own));
    for (std::size_t d = axes.size(); d-- > 0;) {
      if (++index[d] < shape[axes[d]]) break;
      index[d] = 0;
    }
  }
}

}  // namespace

std::string_view name(Layout layout) { return layout == Layout::kChw ? "chw" : "hwc"; }

Layout layout_named(std::string_view wanted) {
  for (const Layout layout : {Layout::kChw, Layout::kHwc})
    if (wanted == name(layout)) return layout;
  fail(ErrorCode::kUsage, "there is no layout {}; the layouts are chw and hwc", wanted);
}

std::vector<std::size_t> stored_axes(Layout layout, std::size_t rank) {
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (layout == Layout::kHwc && rank > 2) {
    axes.erase(axes.begin() + 1);
    axes.push_back(1);
  }
  return axes;
}

Shape stored_shape(Layout layout, const Shape& shape) {
  Shape stored;
  for (const std::size_t axis : stored_axes(layout, shape.size())) stored.push_back(shape[axis]);
  return stored;
}

Tensor to_stored(Layout layout, const Tensor& tensor) {
  const std::vector<std::size_t> axes = stored_axes(layout, tensor.shape().size());
  Tensor stored(tensor.dtype(), stored_shape(layout, tensor.shape()));
  const std::size_t size = size_of(tensor.dtype());
  const std::byte* const from = tensor.bytes().data();
  std::byte* const to = stored.mutable_bytes().data();
  for_each_stored(tensor.shape(), axes,
                  [&](std::size_t at, std::size_t own) { std::memcpy(to + at * size, from + own * size, size); });
  return stored;
}

Tensor from_stored(Layout layout, const Tensor& stored, const Shape& shape) {
  Tensor tensor(stored.dtype(), shape);
  const std::size_t size = size_of(stored.dtype());
  const std::byte* const from = stored.bytes().data();
  std::byte* const to = tensor.mutable_bytes().data();
  for_each_stored(shape, stored_axes(layout, shape.size()),
                  [&](std::size_t at, std::size_t own) { std::memcpy(to + own * size, from + at * size, size); });
  return tensor;
}

}  // namespace octet
