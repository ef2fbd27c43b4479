// canvas.h: the input of a convolution laid out anew, padding included, so that neighbouring outputs read neighbours.
//
//   kForward     tap k of output o reads input i = o * stride + k * dilation - pad_begin     convolution
//   kTransposed  i = (o + pad_begin - k * dilation) / stride, if it divides                  transposed convolution
//
// per spatial axis; an i outside the input, or none, reads as 0. On the canvas both are one rule: output o and tap k read
// element start(o) + reach(k), and along the last axis start(o + 1) = start(o) + 1.
#pragma once

#include <cstdint>
#include <vector>

#include "octet/base/shape.h"
#include "octet/spec/window.h"

namespace octet {

enum class ConvolutionDirection { kForward, kTransposed };

// One axis of a window over one axis of an input. Counted along it, with padding and whatever a transposed convolution
// puts between the inputs, tap k of output o reads element (first_output + o) * step() + reach(k).
struct ConvolutionAxis {
  ConvolutionDirection direction;
  std::int64_t input, first_output, outputs, kernel, stride, dilation, pad_begin;

  std::int64_t step() const { return direction == ConvolutionDirection::kForward ? stride : 1; }
  std::int64_t reach(std::int64_t tap) const {
    return (direction == ConvolutionDirection::kForward ? tap : kernel - 1 - tap) * dilation;
  }
  std::int64_t input_at(std::int64_t element) const;  // -1 if there is none
  bool is_plain() const;                              // output o is input o
};

// `input` are the spatial dimensions. The window's output must be known. Axes of one element are left out, and neighbours
// along which the window does not move are one; but there is at least one.
std::vector<ConvolutionAxis> convolution_axes(const Window& window, const Shape& input, ConvolutionDirection direction);

// The canvas of one channel.
class Canvas {
 public:
  explicit Canvas(const std::vector<ConvolutionAxis>& axes);

  std::int64_t size() const { return size_; }
  const std::vector<std::int64_t>& reaches() const { return reaches_; }  // per tap, in row-major order
  const std::vector<std::int64_t>& starts() const { return starts_; }    // of the first output of every row

  // Writes the elements of `input` where they belong. The rest of the canvas is padding, and left alone.
  template <typename T>
  void place(const T* input, T* canvas) const;

 private:
  // Elements of the input, `step` apart, that are neighbours on the canvas.
  struct Run {
    std::int64_t from, step, to, count;
  };

  // As part of the last one, if it goes on there.
  static void append(std::vector<Run>& runs, const Run& run);

  std::int64_t size_ = 1;
  std::vector<std::int64_t> reaches_ = {0}, starts_ = {0};
  std::vector<Run> runs_ = {{0, 1, 0, 1}};
};

}  // namespace octet
