// reduce.h: what the Reduce* operators share: which axes, which shape, and which elements make one output.
//
// `axes` is an attribute, and an input from an operator's own opset on; negative axes count from the end. Without axes,
// all are reduced, unless noop_with_empty_axes = 1, which reduces every element on its own. keepdims leaves reduced
// axes with dimension 1. Floating point is reduced in float64, in row-major order, and rounded once, but that sums and means
// of float32 have ONNX Runtime's order (ReduceLayout::sum); integers wrap.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "octet/base/shape.h"
#include "octet/base/vectorize.h"
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

  // Outputs whose elements lie equally far apart: element e of output j is start + offset(e) + j * step.
  struct Neighbours {
    std::int64_t count, start, step;
  };
  // Those from `output` on, `most` at most.
  Neighbours neighbours(std::int64_t output, std::int64_t most) const;

  // The elements of an output in row-major order: runs of run_length() elements that lie run_step() apart.
  std::int64_t runs() const { return elements_ / run_length_; }
  std::int64_t run_length() const { return run_length_; }
  std::int64_t run_step() const { return run_step_; }
  std::int64_t run_start(std::int64_t run) const;

  // Whether the elements of each output stand side by side.
  bool is_of_rows() const { return reduced_.size() == 1 && run_step_ == 1; }

  // Sets y[output] of outputs [begin, end) to the sums of their elements in x. Where neighbouring axes of one kind count as
  // one and k stands for one that is kept, r for one that is reduced:
  //
  //   r, kr           aligned_sum (lane_sums.h) of each row
  //   rkr             the same for each run, added in order, where the kept axis is longer than 1
  //   krk             sums_by_fours, where the first axis is longer than 1
  //   rk, any other   in row-major order
  //
  // This is ONNX Runtime's order on one thread. On several it is row-major where that axis is shorter than their number.
  void sum(const float* x, std::int64_t begin, std::int64_t end, float* y) const;

 private:
  Shape kept_, reduced_;  // neighbouring axes of one kind are merged
  std::vector<std::int64_t> kept_steps_, steps_;
  bool reduced_first_ = false;  // of the merged axes
  std::int64_t outputs_, elements_, run_length_ = 1, run_step_ = 1;
};

// f(begin, end) for blocks of outputs.
template <typename F>
void for_each_output_block(const Call& call, const ReduceLayout& layout, F f) {
  call.parallel().for_each_block(layout.outputs(), 1 + 4096 / (layout.elements() + 1), f);
}

// states[j] = step(states[j], x) for each element x of `of.count` outputs, in order.
template <std::int64_t kRows, typename T, typename State, typename Step>
void fold_run(const T* x, const ReduceLayout::Neighbours& of, std::int64_t length, std::int64_t step_along,
              State* states, Step step) {
  if (of.step == 1) {
    for (std::int64_t k = 0; k < length; ++k)
      for (std::int64_t j = 0; j < of.count; ++j) states[j] = step(states[j], x[k * step_along + j]);
  } else if (of.count == kRows) {  // rows side by side: a step need not wait for the one before it
    for (std::int64_t k = 0; k < length; ++k)
      for (std::int64_t j = 0; j < kRows; ++j) states[j] = step(states[j], x[k * step_along + j * of.step]);
  } else {
    for (std::int64_t j = 0; j < of.count; ++j)
      for (std::int64_t k = 0; k < length; ++k) states[j] = step(states[j], x[k * step_along + j * of.step]);
  }
}

// Computes outputs [begin, end), the first of which goes to y[0]: each is finish(state) of a state that is `nothing` at first and step(state, x) after each
// of its elements, in row-major order.
template <typename T, typename State, typename Y, typename Step, typename Finish>
void fold_outputs(const ReduceLayout& layout, const T* x, std::int64_t begin, std::int64_t end, Y* y, State nothing,
                  Step step, Finish finish) {
  constexpr std::int64_t kMost = 64, kRows = 8;
  while (begin < end) {
    ReduceLayout::Neighbours of = layout.neighbours(begin, std::min(end - begin, kMost));
    if (of.step != 1) of.count = std::min(of.count, kRows);
    State states[kMost];
    std::fill_n(states, of.count, nothing);
    for (std::int64_t run = 0; run < layout.runs(); ++run)
      vectorized_float<T>([=, from = x + of.start + layout.run_start(run), length = layout.run_length(),
                           step_along = layout.run_step(), all = &states[0]] {
        State here[kMost];
        std::copy_n(all, of.count, here);
        fold_run<kRows>(from, of, length, step_along, here, step);
        std::copy_n(here, of.count, all);
      });
    for (std::int64_t j = 0; j < of.count; ++j) *y++ = finish(states[j]);
    begin += of.count;
  }
}

// The same for all outputs of the call, whose input has elements of type T.
template <typename T, typename State, typename Step, typename Finish>
void fold_as(Call& call, int axes_input, State nothing, Step step, Finish finish) {
  const ReduceLayout layout(call, axes_input);
  const T* x = call.input(0).as<T>().data();
  T* y = call.output(0).mutable_as<T>().data();
  for_each_output_block(call, layout, [&](std::int64_t begin, std::int64_t end) {
    fold_outputs<T>(layout, x, begin, end, y + begin, nothing, step, finish);
  });
}

// f.operator()<T>() for the type of the input: float32, float64 or an integer of 32 or 64 bits.
template <typename F>
void visit_reduced(const Call& call, F f) {
  visit_numeric(call.output_dtype(0), [&]<typename T>() {
    if constexpr (sizeof(T) >= 4) f.template operator()<T>();
  });
}

// Sets each output to finish(the sum of its elements), of float32 in the order of ReduceLayout::sum.
template <typename Finish>
void reduce_sums(Call& call, int axes_input, Finish finish) {
  const ReduceLayout layout(call, axes_input);
  const float* x = call.input(0).as<float>().data();
  float* y = call.output(0).mutable_as<float>().data();
  for_each_output_block(call, layout, [&](std::int64_t begin, std::int64_t end) {
    layout.sum(x, begin, end, y);
    for (std::int64_t output = begin; output < end; ++output) y[output] = finish(y[output]);
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
