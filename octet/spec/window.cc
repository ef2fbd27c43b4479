#include "octet/spec/window.h"

#include <algorithm>

#include "octet/spec/check.h"

namespace octet {
namespace {

// Within this bound no sum of products of two entries leaves int64.
constexpr std::int64_t kMost = std::int64_t{1} << 31;

std::vector<std::int64_t> list_or(const Attributes& attributes, std::string_view name, std::size_t count,
                                  std::int64_t otherwise, std::int64_t least, std::string_view label) {
  std::vector<std::int64_t> values = attributes.get_ints(name, std::vector<std::int64_t>(count, otherwise));
  if (values.size() != count)
    fail_constraint(label, "attribute {} has {} entries, wanted {}", name, values.size(), count);
  for (std::int64_t value : values)
    if (value < least || value > kMost)
      fail_constraint(label, "attribute {} is {}, wanted {} to 2^31", name, to_string(values), least);
  return values;
}

// What both directions read alike.
struct Reading {
  Window window;  // all but the pads and the output
  std::vector<std::int64_t> pads;
  bool upper, same;

  Reading(const Attributes& attributes, std::size_t rank, std::vector<std::int64_t> kernel, std::string_view label) {
    if (kernel.size() != rank)
      fail_constraint(label, "the kernel has {} dimensions, the input {} spatial ones", kernel.size(), rank);
    for (std::int64_t k : kernel)
      if (k < 1 || k > kMost) fail_constraint(label, "kernel {}, wanted 1 to 2^31", to_string(kernel));
    window.kernel = std::move(kernel);
    window.strides = list_or(attributes, "strides", rank, 1, 1, label);
    window.dilations = list_or(attributes, "dilations", rank, 1, 1, label);
    pads = list_or(attributes, "pads", 2 * rank, 0, 0, label);
    const std::string auto_pad = attributes.get_string("auto_pad", "NOTSET");
    upper = auto_pad == "SAME_UPPER";
    same = upper || auto_pad == "SAME_LOWER";
    if (!same && auto_pad != "VALID" && auto_pad != "NOTSET" && !auto_pad.empty())
      fail_constraint(label, "auto_pad is {}, wanted NOTSET, SAME_UPPER, SAME_LOWER or VALID", auto_pad);
    if (auto_pad == "VALID") pads.assign(2 * rank, 0);
  }

  std::int64_t effective(std::size_t axis) const { return (window.kernel[axis] - 1) * window.dilations[axis] + 1; }

  void add_axis(std::int64_t begin, std::int64_t end, Dim output) {
    window.pads_begin.push_back(begin);
    window.pads_end.push_back(end);
    window.output.push_back(std::move(output));
  }

  void add_axis_with_total_padding(const Dim& total, Dim output) {
    const std::int64_t padding = total.known() ? std::max<std::int64_t>(0, total.value()) : 0;
    const std::int64_t begin = upper ? padding / 2 : padding - padding / 2;
    add_axis(begin, padding - begin, std::move(output));
  }
};

}  // namespace

Window resolve_window(const Attributes& attributes, const SymbolicShape& input, std::vector<std::int64_t> kernel,
                      bool ceil_mode, std::string_view label) {
  const std::size_t rank = input.size();
  Reading reading(attributes, rank, std::move(kernel), label);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t stride = reading.window.strides[i], effective = reading.effective(i);
    if (reading.same) {
      const Dim output = ceil_divide(input[i], stride);
      reading.add_axis_with_total_padding((output - 1) * stride + effective - input[i], output);
      continue;
    }
    const std::int64_t begin = reading.pads[i], end = reading.pads[rank + i];
    const Dim room = input[i] + Dim(begin + end) - Dim(effective);
    if (room.known() && room.value() < 0)
      fail_constraint(label, "a window of {} does not fit {} elements with padding {} and {}", effective,
                      input[i].value(), begin, end);
    Dim output = (ceil_mode ? ceil_divide(room, stride) : floor_divide(room, stride)) + 1;
    const Dim last = (output - 1) * stride;
    if (ceil_mode && last.known() && last.value() >= (input[i] + begin).value()) output = output - 1;
    if (input[i].is_symbol() && begin + end + 1 == effective && stride == 1)
      output = input[i];  // the padding keeps the size, whatever it is
    reading.add_axis(begin, end, std::move(output));
  }
  return std::move(reading.window);
}

Window resolve_transposed_window(const Attributes& attributes, const SymbolicShape& input,
                                 std::vector<std::int64_t> kernel, std::string_view label) {
  const std::size_t rank = input.size();
  Reading reading(attributes, rank, std::move(kernel), label);
  const std::vector<std::int64_t> extra = list_or(attributes, "output_padding", rank, 0, 0, label);
  const std::vector<std::int64_t> sizes = list_or(attributes, "output_shape", rank, 0, 0, label);
  const bool sized = attributes.has("output_shape");
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t stride = reading.window.strides[i];
    const Dim full = (input[i] - 1) * stride + extra[i] + reading.effective(i);
    if (sized || reading.same) {
      const Dim output = sized ? Dim(sizes[i]) : input[i] * stride;
      reading.add_axis_with_total_padding(full - output, output);
      continue;
    }
    const std::int64_t begin = reading.pads[i], end = reading.pads[rank + i];
    const Dim output = full - (begin + end);
    if (output.known() && output.value() < 0)
      fail_constraint(label, "pads {} and {} leave nothing of {} elements", begin, end, full.value());
    reading.add_axis(begin, end, output);
  }
  return std::move(reading.window);
}

}  // namespace octet
