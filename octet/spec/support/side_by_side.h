// side_by_side.h: lines of numbers as columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace octet {

// Some lines side by side, so that their sums, each in its order, can be in vectors: [number][line].
inline constexpr std::int64_t kSideBySide = 16;
template <typename T>
std::vector<T> side_by_side(const std::int16_t* lines, std::int64_t count, std::int64_t depth) {
  std::vector<T> columns(static_cast<std::size_t>(depth * kSideBySide));  // of lines that there are not: zeros
  for (std::int64_t line = 0; line < std::min(count, kSideBySide); ++line)
    for (std::int64_t k = 0; k < depth; ++k)
      columns[static_cast<std::size_t>(k * kSideBySide + line)] = static_cast<T>(lines[line * depth + k]);
  return columns;
}

}  // namespace octet
