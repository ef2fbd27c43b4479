// reduce.h: what the Reduce* operators share: which axes, which shape, and which elements make one output.
//
// `axes` is an attribute, and an input from an operator's own opset on; negative axes count from the end. Without axes,
// all are reduced, unless noop_with_empty_axes = 1, which reduces every element on its own. keepdims leaves reduced
// axes with dimension 1. Floating point is reduced in float64, in row-major order, and rounded once, but that sums and means
// of float32 have ONNX Runtime's order (sum_of); integers wrap.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "octet/base/shape.h"
#include "octet/base/visit.h"
#include "octet/spec/operator.h"

namespace octet {

// The opset from which axes is an input, of every reduction but ReduceSum.
inline constexpr int kAxesInput = 18;

// `axes_input` is the opset from which axes is an input. Throws kConstraint with `label` for axes that the input does
// not have, or has twice. The output's type is the input's.
void infer_reduce(Inference& i, int axes_input, std::string_view label);

// A reduced tensor, seen as kept axes around reduced ones.
class ReduceLayout {
 public:
  ReduceLayout(const Call& call, int axes_input);

  std::int64_t outputs() const { return outputs_; }
  std::int64_t elements() const { return elements_; }  // that make one output

  // The sum of an output's elements, the first of which is `start` elements behind the tensor's. Where neighbouring axes of one kind count as one
  // and k stands for one that is kept, r for one that is reduced:
  //
  //   r, kr           aligned_sum (lane_sums.h) of each row
  //   rkr             the same for each run, added in order, where the kept axis is longer than 1
  //   krk             sum_by_fours, where the first axis is longer than 1
  //   rk, any other   in row-major order
  //
  // This is ONNX Runtime's order on one thread. On several it is row-major where that axis is shorter than their number.
  float sum_of(const float* first, std::int64_t start) const;

  // Where the elements of an output begin.
  std::int64_t start(std::int64_t output) const;

  // Calls f(offset from the start) for each element, in row-major order.
  template <typename F>
  void for_each_offset(F&& f) const {
    if (elements_ == 0) return;
    const std::int64_t length = reduced_.empty() ? 1 : reduced_.back(), step = reduced_.empty() ? 0 : steps_.back();
    for (std::int64_t run = 0; run < elements_ / length; ++run) {
      const std::int64_t first = run_start(run);
      for (std::int64_t k = 0; k < length; ++k) f(first + k * step);
    }
  }

 private:
  std::int64_t run_start(std::int64_t run) const;

  Shape kept_, reduced_;  // neighbouring axes of one kind are merged
  std::vector<std::int64_t> kept_steps_, steps_;
  bool reduced_first_ = false;  // of the merged axes
  std::int64_t outputs_, elements_;
};

// The elements that make one output.
template <typename T>
class ReducedElements {
 public:
  ReducedElements(const T* tensor, std::int64_t start, const ReduceLayout& layout)
      : first_(tensor + start), start_(start), layout_(layout) {}

  std::int64_t count() const { return layout_.elements(); }

  template <typename F>
  void for_each(F&& f) const {
    layout_.for_each_offset([&](std::int64_t offset) { f(first_[offset]); });
  }

  float sum() const requires std::same_as<T, float> { return layout_.sum_of(first_, start_); }

 private:
  const T* first_;
  std::int64_t start_;
  const ReduceLayout& layout_;
};

// Sets each output to f(its elements).
template <typename T, typename F>
void reduce_as(Call& call, int axes_input, F f) {
  const ReduceLayout layout(call, axes_input);
  const T* x = call.input(0).as<T>().data();
  T* y = call.output(0).mutable_as<T>().data();
  const std::int64_t grain = 4096 / (layout.elements() + 1);
  call.parallel().for_each_block(layout.outputs(), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t output = begin; output < end; ++output)
      y[output] = f(ReducedElements<T>(x, layout.elements() == 0 ? 0 : layout.start(output), layout));
  });
}

// The same for whatever type the input has: float32, float64 and integers of 32 and 64 bits.
template <typename F>
void reduce(Call& call, int axes_input, F f) {
  visit_numeric(call.output_dtype(0), [&]<typename T>() {
    if constexpr (sizeof(T) >= 4) reduce_as<T>(call, axes_input, f);
  });
}

// The type that sums and products are made in: float64, or an unsigned integer, which wraps.
template <typename T>
struct SumType {
  using Type = std::make_unsigned_t<T>;
};
template <std::floating_point T>
struct SumType<T> {
  using Type = double;
};
template <typename T>
using SumOf = typename SumType<T>::Type;

}  // namespace octet
