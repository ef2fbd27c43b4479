// window.h: the geometry that convolutions and pools share. Per spatial axis, with kernel k, dilation d, stride s:
//
//   effective kernel  e = (k - 1) * d + 1
//   output            o = floor((i + pad_begin + pad_end - e) / s) + 1       ceil with ceil_mode
//   with ceil_mode, a last window that would start in the end padding is left out
//   SAME_UPPER / SAME_LOWER: o = ceil(i / s); the padding it takes is split evenly, the odd one at the end / beginning
//   VALID: no padding
//
// Transposed, where the roles of input and output change places:
//
//   output            o = s * (i - 1) + output_padding + e - pad_begin - pad_end
//   with output_shape (o itself) or SAME_* (o = i * s), the padding is what o leaves over, at least 0: split evenly,
//   the odd one at the end for SAME_UPPER, else at the beginning
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "octet/base/dim.h"
#include "octet/spec/attributes.h"

namespace octet {

// One entry per spatial axis.
struct Window {
  std::vector<std::int64_t> kernel, strides, dilations;
  std::vector<std::int64_t> pads_begin, pads_end;  // resolved; for SAME_* only where the input size is known
  SymbolicShape output;

  bool operator==(const Window&) const = default;
};

// `input` are the spatial dimensions only, `kernel` the kernel's. Reads auto_pad, strides, dilations and pads; throws
// kConstraint with `label` when one has the wrong length or sign, or the window does not fit the padded input.
Window resolve_window(const Attributes& attributes, const SymbolicShape& input, std::vector<std::int64_t> kernel,
                      bool ceil_mode, std::string_view label);

// The same for a transposed convolution; reads output_padding and output_shape too.
Window resolve_transposed_window(const Attributes& attributes, const SymbolicShape& input,
                                 std::vector<std::int64_t> kernel, std::string_view label);

}  // namespace octet
