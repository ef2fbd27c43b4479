// convolution_shape.h: the shape rule of Conv, QLinearConv and ConvInteger.
//
//   x is [N, C, spatial...], w is [M, C / group, kernel...], y is [N, M, window.output...]
//
// with C and M divisible by group, and as many kernel dimensions as spatial ones, at least one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "octet/spec/attributes.h"
#include "octet/spec/window.h"

namespace octet {

struct ConvolutionShape {
  std::int64_t group = 1;
  std::optional<Window> window;         // nothing while the kernel is not known
  std::optional<SymbolicShape> output;  // nothing while the rank is not known
};

// The labels of the constraints on dimensions (ranks, channels, group) and on the window's attributes.
struct ConvolutionLabels {
  std::string_view dimensions, window;
};

// Reads group and kernel_shape, and what resolve_window reads. A shape that is not known, or dimensions of it, pass.
ConvolutionShape resolve_convolution(const Attributes& attributes, const std::optional<SymbolicShape>& x,
                                     const std::optional<SymbolicShape>& w, const ConvolutionLabels& labels);

// The kernel's spatial dimensions: from w, [_, _, kernel...] with `rank` of them, where it is known, else from
// kernel_shape. Nothing when neither says it. Throws kConstraint with `label` when the two differ.
std::optional<std::vector<std::int64_t>> kernel_size(const Attributes& attributes,
                                                     const std::optional<SymbolicShape>& w, std::size_t rank,
                                                     std::string_view label);

}  // namespace octet
