#include "octet/spec/axes.h"

#include "octet/base/shape.h"
#include "octet/spec/check.h"

namespace octet {

std::size_t normalize_axis(std::int64_t axis, std::size_t rank, std::string_view label) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank)
    fail_constraint(label, "axis is {}, wanted {} to {}", axis, -signed_rank, signed_rank - 1);
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

std::vector<std::size_t> normalize_axes(std::span<const std::int64_t> axes, std::size_t rank, std::string_view label) {
  std::vector<bool> seen(rank, false);
  std::vector<std::size_t> result;
  for (std::int64_t axis : axes) {
    const std::size_t index = normalize_axis(axis, rank, label);
    if (seen[index]) fail_constraint(label, "axis {} is named twice", axis);
    seen[index] = true;
    result.push_back(index);
  }
  return result;
}

Lanes::Lanes(std::span<const std::int64_t> shape, std::size_t axis)
    : count(element_count(shape.first(axis))), length(shape[axis]), step(element_count(shape.subspan(axis + 1))) {
  count *= step;
}

}  // namespace octet
