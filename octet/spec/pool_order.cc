#include "octet/spec/pool_order.h"

#include <algorithm>

namespace octet {

PoolOrder pool_order(int opset, const Window& window, std::span<const std::int64_t> image) {
  if (opset >= 19) return PoolOrder::kRowMajor;
  const auto is = [](std::int64_t value) { return [value](std::int64_t element) { return element == value; }; };
  if (std::ranges::equal(window.kernel, image) && std::ranges::all_of(window.strides, is(1)) &&
      std::ranges::all_of(window.pads_begin, is(0)) && std::ranges::all_of(window.pads_end, is(0)))
    return PoolOrder::kPlane;
  const bool columns = (image.size() == 2 || image.size() == 3) && window.strides.back() <= 2 &&
                       std::ranges::all_of(window.kernel, [](std::int64_t k) { return k <= 32; }) &&
                       image.back() + window.pads_begin.back() + window.pads_end.back() <= 2045;
  return columns ? PoolOrder::kColumns : PoolOrder::kRowMajor;
}

}  // namespace octet
