#include "octet/spec/support/window.h"

#include <algorithm>

#include "octet/spec/check.h"

namespace octet {
namespace {

std::vector<std::int64_t> list_or(const Attributes& attributes, std::string_view name, std::size_t count,
                                  std::int64_t otherwise, std::int64_t least, std::string_view label) {
  std::vector<std::int64_t> values = attributes.get_ints(name, std::vector<std::int64_t>(count, otherwise));
  if (values.size() != count)
    fail_constraint(label, "attribute {} has {} entries, wanted {}", name, values.size(), count);
  for (std::int64_t value : values)
    if (value < least || value > (std::int64_t{1} << 31))
      fail_constraint(label, "attribute {} is {}, wanted {} to 2^31", name, to_string(values), least);
  return values;
}

}  // namespace

Window resolve_window(const Attributes& attributes, const SymbolicShape& input, std::vector<std::int64_t> kernel,
                      bool ceil_mode, std::string_view label) {
  const std::size_t rank = input.size();
  if (kernel.size() != rank)
    fail_constraint(label, "the kernel has {} dimensions, the input {} spatial ones", kernel.size(), rank);
  for (std::int64_t k : kernel)
    if (k < 1 || k > (std::int64_t{1} << 31)) fail_constraint(label, "kernel {}, wanted 1 to 2^31", to_string(kernel));

  Window window;
  window.strides = list_or(attributes, "strides", rank, 1, 1, label);
  window.dilations = list_or(attributes, "dilations", rank, 1, 1, label);
  const std::vector<std::int64_t> pads = list_or(attributes, "pads", 2 * rank, 0, 0, label);
  const std::string auto_pad = attributes.get_string("auto_pad", "NOTSET");
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "VALID" && auto_pad != "NOTSET" && !auto_pad.empty())
    fail_constraint(label, "auto_pad is {}, wanted NOTSET, SAME_UPPER, SAME_LOWER or VALID", auto_pad);

  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t stride = window.strides[i];
    const std::int64_t effective = (kernel[i] - 1) * window.dilations[i] + 1;
    std::int64_t begin = 0, end = 0;
    Dim output;
    if (same) {
      output = ceil_divide(input[i], stride);
      if (input[i].known()) {
        const std::int64_t total =
            std::max<std::int64_t>(0, (output.value() - 1) * stride + effective - input[i].value());
        const std::int64_t small = total / 2;
        begin = auto_pad == "SAME_UPPER" ? small : total - small;
        end = total - begin;
      }
    } else {
      if (auto_pad != "VALID") {
        begin = pads[i];
        end = pads[rank + i];
      }
      const Dim room = input[i] + Dim(begin + end) - Dim(effective);
      if (room.known() && room.value() < 0)
        fail_constraint(label, "a window of {} does not fit {} elements with padding {} and {}", effective,
                        input[i].value(), begin, end);
      if (input[i].is_symbol() && begin + end + 1 == effective && stride == 1) {
        output = input[i];  // the padding keeps the size, whatever it is
      } else {
        output = (ceil_mode ? ceil_divide(room, stride) : floor_divide(room, stride)) + 1;
        if (ceil_mode && output.known() && (output.value() - 1) * stride >= input[i].value() + begin)
          output = output - 1;
      }
    }
    window.pads_begin.push_back(begin);
    window.pads_end.push_back(end);
    window.output.push_back(output);
  }
  window.kernel = std::move(kernel);
  return window;
}

}  // namespace octet
