#include <fmt/core.h>

#include "octet/analyze/support/explain_sum.h"
#include "octet/spec/convolution_shape.h"
#include "octet/spec/operators.h"
#include "octet/spec/taps.h"

namespace octet {
namespace {

// The window of the image that an output position reads: "rows 4 to 6" for every spatial axis.
std::string window_text(const Window& window, const Shape& index) {
  std::string text;
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
    const std::int64_t first = index[axis + 2] * window.strides[axis] - window.pads_begin[axis];
    const std::int64_t last = first + (window.kernel[axis] - 1) * window.dilations[axis];
    text += fmt::format("{}{} to {}", axis == 0 ? "" : ", ", first, last);
    if (window.dilations[axis] > 1) text += fmt::format(" in steps of {}", window.dilations[axis]);
  }
  return text;
}

}  // namespace

void explain_convolution(const Applied& applied, Findings& findings) {
  const bool quantized = is(applied.operation().op, ops::kQLinearConv);
  const SumInputs at(*applied.operation().op);
  const Call& call = applied.call();
  const Tensor &x = applied.input(at.x), &w = applied.input(at.w);
  const ConvolutionShape shape =
      resolve_convolution(applied.attributes(), symbolic(x.shape()), symbolic(w.shape()), {"", ""});
  const Window& window = *shape.window;
  const Taps taps(window, {x.shape().begin() + 2, x.shape().end()});
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(taps.taps()));
  taps.offsets(applied.element() % taps.windows(), 1, offsets.data());

  const std::int64_t image = applied.index()[0], m = applied.index()[1];
  const std::int64_t channels = w.shape()[1], group = m / (w.shape()[0] / shape.group);
  const std::vector<std::int32_t> x_zero_point = zero_points_at(call, at.x_zero_point);
  const std::vector<std::int32_t> w_zero_points = zero_points_at(call, at.w_zero_point);
  IntegerSum sum{.x_input = at.x, .w_input = at.w};
  sum.x_zero_point = x_zero_point.empty() ? 0 : x_zero_point[0];
  sum.w_zero_point = w_zero_points.empty() ? 0 : one_or(w_zero_points, m);
  if (call.has(at.bias)) sum.bias = static_cast<std::int32_t>(call.input(at.bias).int_at(m));
  for (std::int64_t tap = 0; tap < taps.taps(); ++tap)
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t offset = offsets[static_cast<std::size_t>(tap)];
      const std::int64_t plane = (image * shape.group + group) * channels + c;
      const std::int64_t w_element = (m * channels + c) * taps.taps() + tap;
      Factors factors{.x_element = {},
                      .w_element = w_element,
                      .x = sum.x_zero_point,
                      .w = static_cast<std::int32_t>(w.int_at(w_element))};
      if (offset >= 0) {
        factors.x_element = plane * taps.input_size() + offset;
        factors.x = static_cast<std::int32_t>(x.int_at(*factors.x_element));
      }
      sum.factors.push_back(factors);
    }
  // Channels of a tap are taken together, as here; but the left operand of ConvInteger is the weights, in their own
  // order. One channel to one output runs on another path, which is exact.
  const DType saturating = quantized ? DType::kUint8 : DType::kInt8;
  const bool depthwise = channels == 1 && w.shape()[0] == shape.group;
  if (x.dtype() == saturating && w.dtype() != x.dtype() && !(quantized && depthwise)) {
    const auto depth = static_cast<std::size_t>(channels);
    for (std::size_t k = 0; k < sum.factors.size(); ++k)
      sum.pairs.push_back(quantized ? k : k % offsets.size() * depth + k / offsets.size());
  }

  findings.section("receptive field");
  findings.line("x", "", applied.input_name(at.x),
                fmt::format("image {}, channels {} to {}, window {}", image, group * channels,
                            (group + 1) * channels - 1, window_text(window, applied.index())));
  findings.line("w", "", applied.input_name(at.w), fmt::format("output channel {}", m));
  const std::int32_t accumulator = explain_sum(applied, sum, findings);
  if (!quantized) {
    findings.operation.result = std::int64_t{accumulator};
    explain_saturation(applied, sum, accumulator, findings, [](std::int32_t acc) { return std::int64_t{acc}; });
    return;
  }

  const float x_scale = quantization_at(call, at.x_scale, at.x_zero_point).scale;
  const float w_scale = one_or(scales_at(call, at.w_scale), m);
  const Quantization y = quantization_at(call, at.y_scale, at.y_zero_point);
  const float multiplier = requantization_multiplier(x_scale, w_scale, y.scale);
  const Exact exact = Exact(x_scale) * Exact(w_scale) / Exact(y.scale);
  findings.section("requantization");
  findings.line("x_scale", "", x_scale, Exact(x_scale));
  findings.line("w_scale", "", w_scale, Exact(w_scale), fmt::format("of output channel {}", m));
  explain_parameters(findings, "y", y);
  findings.line("", "x_scale * w_scale", x_scale * w_scale, Exact(x_scale) * Exact(w_scale));
  findings.line("M", "(x_scale * w_scale) / y_scale", multiplier, exact);
  findings.line("M, exact", "", exact.fraction());
  const QuantizedOutput output = quantized_output(applied.dtype(), y.zero_point, ZeroPoint::kAfterRounding);
  findings.operation.result =
      std::int64_t{explain_requantization(findings, applied.arithmetic(), accumulator, multiplier, exact, output)};
  const Requantizer requantize(applied.arithmetic(), multiplier, output);
  explain_saturation(applied, sum, accumulator, findings,
                     [&](std::int32_t acc) { return std::int64_t{requantize(acc)}; });
}

}  // namespace octet
