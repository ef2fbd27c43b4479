// axes.h: axis attributes and inputs, which count from the end when negative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace octet {

// `axis` in [-rank, rank - 1] as an index in [0, rank - 1]. Throws kConstraint with `label` for any other.
std::size_t normalize_axis(std::int64_t axis, std::size_t rank, std::string_view label);

// The same for a list, in its order. Throws kConstraint with `label` when an axis is named twice, too.
std::vector<std::size_t> normalize_axes(std::span<const std::int64_t> axes, std::size_t rank, std::string_view label);

}  // namespace octet
