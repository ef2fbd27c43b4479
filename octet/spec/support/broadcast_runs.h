// broadcast_runs.h: how the elements of several operands line up under numpy's broadcasting.
//
// The output falls into runs of consecutive elements along which every operand either advances with the output or
// stands still on one element, so that inner loops see plain arrays and scalars.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "octet/base/parallel.h"
#include "octet/base/shape.h"

namespace octet {

class BroadcastRuns {
 public:
  static constexpr std::size_t kMostOperands = 3;

  // `count` elements of the output from `output` on; operand k starts at inputs[k].
  struct Run {
    std::int64_t output, count;
    std::array<std::int64_t, kMostOperands> inputs;
  };

  // Every operand must broadcast to `target`; there are at most kMostOperands.
  BroadcastRuns(const std::vector<Shape>& operands, const Shape& target);

  // Whether operand k advances along a run.
  bool moves(std::size_t k) const { return strides_[k].back() != 0; }

  void for_each(const Parallel& parallel, const std::function<void(const Run&)>& f) const;

 private:
  Shape shape_;                                     // the target with axes merged; never empty
  std::vector<std::vector<std::int64_t>> strides_;  // per operand and axis
};

}  // namespace octet
