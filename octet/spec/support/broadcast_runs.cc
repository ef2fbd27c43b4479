#include "octet/spec/support/broadcast_runs.h"

#include <algorithm>

#include "octet/spec/support/grain.h"

namespace octet {

BroadcastRuns::BroadcastRuns(const std::vector<Shape>& operands, const Shape& target) : strides_(operands.size()) {
  std::vector<std::vector<std::int64_t>> all;
  for (const Shape& operand : operands) all.push_back(broadcast_strides(operand, target));
  for (std::size_t axis = 0; axis < target.size(); ++axis) {
    if (target[axis] == 1) continue;
    // An axis joins the one before it when every operand steps from one to the other without a gap.
    bool joins = !shape_.empty();
    for (std::size_t k = 0; joins && k < all.size(); ++k) joins = strides_[k].back() == all[k][axis] * target[axis];
    if (joins) {
      shape_.back() *= target[axis];
      for (std::size_t k = 0; k < all.size(); ++k) strides_[k].back() = all[k][axis];
    } else {
      shape_.push_back(target[axis]);
      for (std::size_t k = 0; k < all.size(); ++k) strides_[k].push_back(all[k][axis]);
    }
  }
  if (shape_.empty()) {
    shape_.push_back(1);
    for (auto& strides : strides_) strides.push_back(0);
  }
}

void BroadcastRuns::for_each(const Parallel& parallel, const std::function<void(const Run&)>& f) const {
  const std::int64_t length = shape_.back();
  parallel.for_each_block(element_count(shape_), kElementGrain, [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t column = begin % length;
      Run run = {.output = begin, .count = std::min(end - begin, length - column), .inputs = {}};
      for (std::size_t k = 0; k < strides_.size(); ++k) run.inputs[k] = column * strides_[k].back();
      std::int64_t row = begin / length;
      for (std::size_t axis = shape_.size() - 1; axis-- > 0;) {
        const std::int64_t index = row % shape_[axis];
        row /= shape_[axis];
        for (std::size_t k = 0; k < strides_.size(); ++k) run.inputs[k] += index * strides_[k][axis];
      }
      f(run);
      begin += run.count;
    }
  });
}

}  // namespace octet
