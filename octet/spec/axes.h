// axes.h: axes of tensors: attributes and inputs that name them, and what lies along one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace octet {

// `axis` in [-rank, rank - 1], negative from the end, as an index in [0, rank - 1]. Throws kConstraint with `label` for
// any other.
std::size_t normalize_axis(std::int64_t axis, std::size_t rank, std::string_view label);

// The same for a list, in its order. Throws kConstraint with `label` when an axis is named twice, too.
std::vector<std::size_t> normalize_axes(std::span<const std::int64_t> axes, std::size_t rank, std::string_view label);

// The one-dimensional lanes of a tensor along `axis`: element k of lane l lies at start(l) + k * step.
struct Lanes {
  std::int64_t count, length, step;

  Lanes(std::span<const std::int64_t> shape, std::size_t axis);
  std::int64_t start(std::int64_t lane) const { return lane / step * length * step + lane % step; }
};

}  // namespace octet
