// taps.h: which input element each tap of a sliding window reads.
//
//   i = o * stride + k * dilation - pad_begin
//
// per spatial axis, for output position o and tap k. An i outside the input is padding.
#pragma once

#include <cstdint>
#include <vector>

#include "octet/base/shape.h"
#include "octet/spec/window.h"

namespace octet {

class Taps {
 public:
  // `input` are the spatial dimensions. The window's output must be known.
  Taps(const Window& window, Shape input);

  std::int64_t taps() const { return taps_; }        // per window
  std::int64_t windows() const { return windows_; }  // output positions
  std::int64_t input_size() const { return input_size_; }

  // For `count` windows from `first` on, in row-major order of both: offsets[tap * count + window] is the input element
  // that the tap reads, or -1 in padding.
  void offsets(std::int64_t first, std::int64_t count, std::int64_t* offsets) const;

 private:
  std::int64_t position(std::size_t axis, std::int64_t output, std::int64_t tap) const;

  std::vector<std::int64_t> kernel_, strides_, dilations_, pads_begin_;
  Shape input_, output_;
  std::vector<std::int64_t> input_strides_;
  std::int64_t taps_, windows_, input_size_;
};

}  // namespace octet
