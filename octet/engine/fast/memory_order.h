// memory_order.h: how the axes of a value stand in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "octet/engine/fast/kernel.h"

namespace octet::fast {

// The place of a declared axis in memory, outermost first.
std::size_t memory_axis(Layout layout, std::size_t rank, std::size_t axis);
// The dimensions in the order in which they stand.
Shape memory_shape(const Operand& operand);

inline bool has_bytes(const Operand& operand) { return operand.type == DType::kInt8 || operand.type == DType::kUint8; }

inline std::uint8_t* bytes_at(const ValuePointers& places, ValueId value) {
  return reinterpret_cast<std::uint8_t*>(places[value]);
}

// Less than this many elements are not worth a thread, where each takes an instruction or two.
inline constexpr std::int64_t kGrain = 16384;

// The elements of x, of one byte each, in the order in which those of y stand, which x broadcasts to.
class View {
 public:
  View(const Operand& x, const Operand& y);

  // `count` elements from number `first` of y on: where they stand anyway, or in `buffer`, which holds as many.
  const std::uint8_t* bytes(const ValuePointers& places, std::int64_t first, std::int64_t count,
                            std::uint8_t* buffer) const;

 private:
  struct Loop {
    std::int64_t count = 0, step = 0;
  };

  ValueId x_;
  std::vector<Loop> loops_;  // outermost first; at least one
};

}  // namespace octet::fast
