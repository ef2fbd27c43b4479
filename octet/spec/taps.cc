#include "octet/spec/taps.h"

#include <algorithm>

#include "octet/base/vectorize.h"

namespace octet {

Taps::Taps(const Window& window, Shape input)
    : kernel_(window.kernel),
      strides_(window.strides),
      dilations_(window.dilations),
      pads_begin_(window.pads_begin),
      input_(std::move(input)),
      output_(concrete(window.output).value()),
      input_strides_(strides_of(input_)),
      taps_(element_count(kernel_)),
      windows_(element_count(output_)),
      input_size_(element_count(input_)) {}

std::int64_t Taps::position(std::size_t axis, std::int64_t output, std::int64_t tap) const {
  const std::int64_t i = output * strides_[axis] + tap * dilations_[axis] - pads_begin_[axis];
  return i >= 0 && i < input_[axis] ? i : -1;
}

void Taps::offsets(std::int64_t first, std::int64_t count, std::int64_t* offsets) const {
  std::fill_n(offsets, taps_ * count, 0);
  std::vector<std::int64_t> along;            // [k * count + window]: this axis' part of the offset
  std::int64_t below = 1, windows_below = 1;  // taps and windows of the axes behind this one
  for (std::size_t axis = kernel_.size(); axis-- > 0;) {
    along.resize(static_cast<std::size_t>(kernel_[axis] * count));
    std::int64_t output = first / windows_below % output_[axis];
    std::int64_t run = windows_below - first % windows_below;  // windows that share this output position
    for (std::int64_t w = 0; w < count; w += run, run = windows_below, output = (output + 1) % output_[axis]) {
      run = std::min(run, count - w);
      for (std::int64_t k = 0; k < kernel_[axis]; ++k) {
        const std::int64_t i = position(axis, output, k);
        std::fill_n(&along[static_cast<std::size_t>(k * count + w)], run, i < 0 ? -1 : i * input_strides_[axis]);
      }
    }
    for (std::int64_t tap = 0; tap < taps_; ++tap) {
      const std::int64_t* part = &along[static_cast<std::size_t>(tap / below % kernel_[axis] * count)];
      std::int64_t* total = offsets + tap * count;
      vectorized([=] {
        for (std::int64_t w = 0; w < count; ++w) total[w] = (total[w] | part[w]) < 0 ? -1 : total[w] + part[w];
      });
    }
    below *= kernel_[axis];
    windows_below *= output_[axis];
  }
}

}  // namespace octet
