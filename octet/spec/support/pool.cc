#include "octet/spec/support/pool.h"

#include <algorithm>

#include "octet/spec/check.h"

namespace octet {
namespace {

// Offsets looked up at once, for all images and channels: more than pays for the looking up, few enough for the cache.
constexpr std::int64_t kOffsetsPerRun = 1 << 12;

Window pool_window(const Attributes& attributes, const SymbolicShape& image, std::string_view label) {
  return resolve_window(attributes, image, attributes.get_ints("kernel_shape"), attributes.get_int("ceil_mode", 0) != 0,
                        label);
}

}  // namespace

std::optional<SymbolicShape> infer_pool(const Inference& i, std::string_view label) {
  if (!i.attributes().has("kernel_shape")) fail_constraint(label, "attribute kernel_shape is missing");
  if (!i.has_shape(0)) return std::nullopt;
  const SymbolicShape& x = i.shape(0);
  if (x.size() < 3) fail_constraint(label, "x is {}, wanted [N,C,D1,...]", to_string(x));
  SymbolicShape y = {x[0], x[1]};
  const Window window = pool_window(i.attributes(), {x.begin() + 2, x.end()}, label);
  y.insert(y.end(), window.output.begin(), window.output.end());
  return y;
}

Window pool_window(const Call& call) {
  const Shape& x = call.input(0).shape();
  return pool_window(call.attributes(), symbolic({x.begin() + 2, x.end()}), {});
}

void pad_as_onnxruntime(Window& window, const Attributes& attributes, const SymbolicShape& image) {
  const std::string auto_pad = attributes.get_string("auto_pad", "NOTSET");
  for (std::size_t axis = 0; axis < image.size(); ++axis) {
    if (!auto_pad.starts_with("SAME") || !image[axis].known()) continue;
    const std::int64_t lacking =
        (window.output[axis].value() - 1) * window.strides[axis] + window.kernel[axis] - image[axis].value();
    window.pads_begin[axis] = auto_pad == "SAME_UPPER" ? lacking / 2 : (lacking + 1) / 2;
    window.pads_end[axis] = lacking - window.pads_begin[axis];
  }
}

PoolWindows::PoolWindows(const Window& window, Shape image)
    : window_(window),
      image_(std::move(image)),
      output_(concrete(window.output).value()),
      strides_(strides_of(image_)),
      count_(element_count(output_)),
      image_size_(element_count(image_)) {}

void PoolWindows::look_up(std::int64_t window, Taps& taps) const {
  taps.offsets.assign(1, 0);
  taps.with_padding = 1;
  std::int64_t below = count_;
  std::vector<std::int64_t> longer;
  for (std::size_t axis = 0; axis < image_.size(); ++axis) {
    below /= output_[axis];
    const std::int64_t output = window / below % output_[axis], dilation = window_.dilations[axis];
    const std::int64_t start = output * window_.strides[axis] - window_.pads_begin[axis];
    // Taps [first, last) read positions in [0, image), taps [0, padded) in the image or its padding.
    const auto taps_before = [&](std::int64_t position) {
      return std::clamp<std::int64_t>((position - start + dilation - 1) / dilation, 0, window_.kernel[axis]);
    };
    const std::int64_t first = start >= 0 ? 0 : taps_before(0), last = std::max(first, taps_before(image_[axis]));
    taps.with_padding *= static_cast<double>(taps_before(image_[axis] + window_.pads_end[axis]));
    taps.columns = last - first;
    longer.clear();
    for (std::int64_t offset : taps.offsets)
      for (std::int64_t tap = first; tap < last; ++tap)
        longer.push_back(offset + (start + tap * dilation) * strides_[axis]);
    std::swap(taps.offsets, longer);
  }
}

void PoolWindows::for_each_run(const Parallel& parallel,
                               const std::function<void(std::int64_t first, const std::vector<Taps>& taps)>& f) const {
  std::int64_t offsets = 1;  // of one window, at most
  for (std::size_t axis = 0; axis < image_.size(); ++axis) offsets *= std::min(window_.kernel[axis], image_[axis]);
  const std::int64_t length = std::max<std::int64_t>(1, kOffsetsPerRun / std::max<std::int64_t>(1, offsets));
  parallel.for_each_block((count_ + length - 1) / length, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Taps> taps;
    for (std::int64_t run = begin; run < end; ++run) {
      const std::int64_t first = run * length;
      taps.resize(static_cast<std::size_t>(std::min(length, count_ - first)));
      for (std::size_t w = 0; w < taps.size(); ++w) look_up(first + static_cast<std::int64_t>(w), taps[w]);
      f(first, taps);
    }
  });
}

}  // namespace octet
