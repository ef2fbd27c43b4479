#include "octet/base/shape.h"

#include <algorithm>

#include "octet/base/fail.h"

namespace octet {

std::int64_t element_count(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  bool zero = false;
  for (std::int64_t dim : shape) {
    if (dim < 0) fail(ErrorCode::kLimit, "dimension {} in shape {} is negative", dim, to_string(shape));
    zero = zero || dim == 0;
    if (__builtin_mul_overflow(count, dim == 0 ? 1 : dim, &count))
      fail(ErrorCode::kLimit, "the number of elements of shape {} does not fit 63 bits", to_string(shape));
  }
  return zero ? 0 : count;
}

std::vector<std::int64_t> strides_of(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

std::optional<Shape> broadcast(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  if (a.size() < b.size()) std::swap(a, b);
  Shape result(a.begin(), a.end());
  const std::size_t lead = a.size() - b.size();
  for (std::size_t i = 0; i < b.size(); ++i) {
    std::int64_t& dim = result[lead + i];
    if (dim == b[i] || b[i] == 1) continue;
    if (dim != 1) return std::nullopt;
    dim = b[i];
  }
  return result;
}

std::vector<std::int64_t> broadcast_strides(std::span<const std::int64_t> shape, std::span<const std::int64_t> target) {
  const std::vector<std::int64_t> own = strides_of(shape);
  std::vector<std::int64_t> strides(target.size(), 0);
  const std::size_t lead = target.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) strides[lead + i] = shape[i] == 1 ? 0 : own[i];
  return strides;
}

std::string to_string(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace octet
