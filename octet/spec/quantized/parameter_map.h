// parameter_map.h: which element of a scale and zero point belongs to which element of the tensor they quantize.
//
//   per tensor   one element, a scalar or [1], for all
//   per axis     a vector of x's length on `axis`: x[.., a, ..] has element a
//   blocked      x's shape with ceil(D / block_size) on `axis`: x[.., a, ..] has element [.., a / block_size, ..]
//
// Blocked when block_size is positive and the ranks are equal; the zero point has the scale's shape.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "octet/spec/operator.h"

namespace octet {

// Reads axis (1 unless said otherwise) and block_size; inputs are x, scale, zero point (may be absent). Throws
// kConstraint with `label` for shapes that are none of the three; what is not known passes.
void require_parameter_map(const Inference& i, std::string_view label);

// The same for shapes that have passed.
class ParameterMap {
 public:
  ParameterMap(const Attributes& attributes, const Shape& x, const Shape& scale);

  // `count` elements of x from `begin` on; element begin + k has parameter + k * step.
  struct Run {
    std::int64_t begin, count, parameter, step;
  };

  // Calls f(run) until elements [begin, end) of x are covered.
  template <typename F>
  void for_each_run(std::int64_t begin, std::int64_t end, F&& f) const {
    while (begin < end) {
      const std::int64_t row = begin / inner_, column = begin % inner_;
      const std::int64_t count = std::min(end - begin, inner_ - column);
      const std::int64_t parameter = row / length_ * outer_step_ + row % length_ / block_ * row_step_;
      f(Run{begin, count, parameter + column * step_, step_});
      begin += count;
    }
  }

 private:
  // x is [outer, length, inner]: element [o, a, i] has parameter o * outer_step + a / block * row_step + i * step.
  std::int64_t length_ = 1, inner_ = 1, block_ = 1;
  std::int64_t outer_step_ = 0, row_step_ = 0, step_ = 0;
};

}  // namespace octet
