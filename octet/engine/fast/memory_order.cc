#include "octet/engine/fast/memory_order.h"

#include <algorithm>
#include <cstring>

namespace octet::fast {

std::size_t memory_axis(Layout layout, std::size_t rank, std::size_t axis) {
  if (layout == Layout::kAsDeclared || axis == 0) return axis;
  return axis == 1 ? rank - 1 : axis - 1;
}

Shape memory_shape(const Operand& operand) {
  Shape shape(operand.shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    shape[memory_axis(operand.layout, shape.size(), axis)] = operand.shape[axis];
  return shape;
}

View::View(const Operand& x, const Operand& y) : x_(x.id) {
  const std::size_t rank = y.shape.size(), missing = rank - x.shape.size();
  const std::vector<std::int64_t> x_strides = strides_of(memory_shape(x));
  std::vector<Loop> loops(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    Loop& loop = loops[memory_axis(y.layout, rank, axis)];
    loop.count = y.shape[axis];
    if (axis >= missing && x.shape[axis - missing] != 1)
      loop.step = x_strides[memory_axis(x.layout, x.shape.size(), axis - missing)];
  }
  for (const Loop& loop : loops) {
    if (loop.count == 1) continue;
    if (!loops_.empty() && loops_.back().step == loop.step * loop.count)
      loops_.back() = {loops_.back().count * loop.count, loop.step};
    else
      loops_.push_back(loop);
  }
  if (loops_.empty()) loops_.push_back({1, 1});
}

const std::uint8_t* View::bytes(const ValuePointers& places, std::int64_t first, std::int64_t count,
                                std::uint8_t* buffer) const {
  const std::uint8_t* x = bytes_at(places, x_);
  const Loop& inner = loops_.back();
  if (loops_.size() == 1 && inner.step == 1) return x + first;
  for (std::int64_t done = 0; done < count;) {
    const std::uint8_t* from = x;
    std::int64_t index = first + done;
    const std::int64_t i = index % inner.count, run = std::min(inner.count - i, count - done);
    for (std::size_t k = loops_.size(); k-- > 0; index /= loops_[k].count)
      from += index % loops_[k].count * loops_[k].step;
    if (inner.step == 1)
      std::memcpy(buffer + done, from, static_cast<std::size_t>(run));
    else if (inner.step == 0)
      std::memset(buffer + done, *from, static_cast<std::size_t>(run));
    else
      for (std::int64_t k = 0; k < run; ++k) buffer[done + k] = from[k * inner.step];
    done += run;
  }
  return buffer;
}

}  // namespace octet::fast
