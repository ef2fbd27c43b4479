#include "octet/spec/support/canvas.h"

#include <algorithm>

#include "octet/base/dim.h"

namespace octet {
namespace {

// One axis of a canvas.
struct AxisLayout {
  std::int64_t step;                                     // output o starts at o * step
  std::vector<std::int64_t> reaches = {}, sources = {};  // per tap; per element, the input that lies there, or -1
};

// Every element once, in order.
AxisLayout in_order(const ConvolutionAxis& axis, std::int64_t length) {
  AxisLayout layout = {.step = axis.step()};
  for (std::int64_t k = 0; k < axis.kernel; ++k) layout.reaches.push_back(axis.reach(k));
  for (std::int64_t e = 0; e < length; ++e)
    layout.sources.push_back(axis.input_at(axis.first_output * axis.step() + e));
  return layout;
}

// Every element once: those that one tap of neighbouring outputs reads are neighbours. There is more than one output, so
// there are no more phases than elements.
AxisLayout by_phase(const ConvolutionAxis& axis, std::int64_t length) {
  const std::int64_t phases = axis.step(), size = (length + phases - 1) / phases;
  AxisLayout layout = {.step = 1};
  for (std::int64_t k = 0; k < axis.kernel; ++k)
    layout.reaches.push_back(axis.reach(k) % phases * size + axis.reach(k) / phases);
  for (std::int64_t phase = 0; phase < phases; ++phase)
    for (std::int64_t e = 0; e < size; ++e)
      layout.sources.push_back(axis.input_at((axis.first_output + e) * phases + phase));
  return layout;
}

// What each tap reads, one tap behind the other.
AxisLayout by_tap(const ConvolutionAxis& axis) {
  AxisLayout layout = {.step = 1};
  for (std::int64_t k = 0; k < axis.kernel; ++k) {
    layout.reaches.push_back(k * axis.outputs);
    for (std::int64_t o = 0; o < axis.outputs; ++o)
      layout.sources.push_back(axis.input_at((axis.first_output + o) * axis.step() + axis.reach(k)));
  }
  return layout;
}

AxisLayout lay_out(const ConvolutionAxis& axis, bool last) {
  const std::int64_t length = (axis.outputs - 1) * axis.step() + (axis.kernel - 1) * axis.dilation + 1;
  // A wide dilation or stride would leave most of a canvas in order unread.
  const bool sparse = length > axis.outputs * axis.kernel;
  return sparse ? by_tap(axis) : last && axis.outputs > 1 ? by_phase(axis, length) : in_order(axis, length);
}

// [outer][inner] sums.
std::vector<std::int64_t> all_sums(const std::vector<std::int64_t>& outer, const std::vector<std::int64_t>& inner) {
  std::vector<std::int64_t> sums;
  for (const std::int64_t a : outer)
    for (const std::int64_t b : inner) sums.push_back(a + b);
  return sums;
}

}  // namespace

std::int64_t ConvolutionAxis::input_at(std::int64_t element) const {
  std::int64_t i = element - pad_begin;
  if (direction == ConvolutionDirection::kTransposed) {
    const std::int64_t scaled = element + pad_begin - (kernel - 1) * dilation;
    if (scaled % stride != 0) return -1;
    i = scaled / stride;
  }
  return i >= 0 && i < input ? i : -1;
}

bool ConvolutionAxis::is_plain() const { return kernel == 1 && stride == 1 && pad_begin == 0 && input == outputs; }

std::vector<ConvolutionAxis> convolution_axes(const Window& window, const Shape& input,
                                              ConvolutionDirection direction) {
  std::vector<ConvolutionAxis> axes;
  const Shape output = concrete(window.output).value();
  for (std::size_t a = 0; a < input.size(); ++a) {
    const ConvolutionAxis axis = {
        direction,           input[a], 0, output[a], window.kernel[a], window.strides[a], window.dilations[a],
        window.pads_begin[a]};
    if (!axes.empty() && axes.back().is_plain() && axis.is_plain()) {
      axes.back().input *= axis.input;
      axes.back().outputs *= axis.outputs;
    } else if (!axis.is_plain() || axis.input != 1 || axes.empty()) {
      axes.push_back(axis);
    }
  }
  return axes;
}

Canvas::Canvas(const std::vector<ConvolutionAxis>& axes) {
  std::int64_t input_size = 1;
  for (std::size_t a = axes.size(); a-- > 0;) {
    const bool last = a + 1 == axes.size();
    const AxisLayout layout = lay_out(axes[a], last);
    std::vector<std::int64_t> reaches, starts;
    for (const std::int64_t reach : layout.reaches) reaches.push_back(reach * size_);
    for (std::int64_t o = 0; o < (last ? 1 : axes[a].outputs); ++o) starts.push_back(o * layout.step * size_);
    reaches_ = all_sums(reaches, reaches_);
    starts_ = all_sums(starts, starts_);

    std::vector<Run> runs;
    for (std::size_t e = 0; e < layout.sources.size(); ++e) {
      if (layout.sources[e] < 0) continue;
      for (const Run& run : runs_)
        append(runs, {layout.sources[e] * input_size + run.from, run.step,
                      static_cast<std::int64_t>(e) * size_ + run.to, run.count});
    }
    runs_ = std::move(runs);
    size_ *= static_cast<std::int64_t>(layout.sources.size());
    input_size *= axes[a].input;
  }
}

void Canvas::append(std::vector<Run>& runs, const Run& run) {
  if (!runs.empty()) {
    Run& last = runs.back();
    const std::int64_t step = last.count == 1 ? run.from - last.from : last.step;
    const bool alike = run.count == 1 || run.step == step;
    if (alike && step > 0 && last.to + last.count == run.to && last.from + last.count * step == run.from) {
      last.step = step;
      last.count += run.count;
      return;
    }
  }
  runs.push_back(run);
}

template <typename T>
void Canvas::place(const T* input, T* canvas) const {
  for (const Run& run : runs_) {
    const T* from = input + run.from;
    T* to = canvas + run.to;
    if (run.step == 1)
      std::copy_n(from, run.count, to);
    else if (run.step == 2)  // a constant, so that the compiler can use vectors
      for (std::int64_t i = 0; i < run.count; ++i) to[i] = from[i * 2];
    else
      for (std::int64_t i = 0; i < run.count; ++i) to[i] = from[i * run.step];
  }
}

template void Canvas::place(const float*, float*) const;
template void Canvas::place(const double*, double*) const;

}  // namespace octet
