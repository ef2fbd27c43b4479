// shape.h: dimensions that are known.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace octet {

using Shape = std::vector<std::int64_t>;

// The product of the dimensions; 1 for a scalar. Throws kLimit when it leaves int64 or a dimension is negative.
std::int64_t element_count(std::span<const std::int64_t> shape);

// Row-major strides in elements.
std::vector<std::int64_t> strides_of(std::span<const std::int64_t> shape);

// The common shape under numpy's rules, or nothing when the two do not broadcast.
std::optional<Shape> broadcast(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

// Strides of `shape` seen as `target`: 0 along broadcast axes, one stride per axis of `target`.
std::vector<std::int64_t> broadcast_strides(std::span<const std::int64_t> shape, std::span<const std::int64_t> target);

// "[1,3,32,32]"; "[]" for a scalar.
std::string to_string(std::span<const std::int64_t> shape);

}  // namespace octet
