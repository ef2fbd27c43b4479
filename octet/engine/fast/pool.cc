#include <algorithm>
#include <cstring>
#include <numeric>

#include "octet/engine/fast/memory_order.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast/stages.h"
#include "octet/spec/quantized/dequantize_linear.h"
#include "octet/spec/quantized/qlinear_global_average_pool.h"

namespace octet::fast {
namespace {

// Which pixels of the image each window sees.
class Windows {
 public:
  // Without a window, all of the image.
  Windows(const std::optional<Window>& window, const Shape& image) : image_(image) {
    for (std::size_t d = 0; d < image.size(); ++d) {
      axes_.emplace_back();
      if (!window) {
        axes_[d].push_back({0, image[d], 1});
        continue;
      }
      const std::int64_t kernel = window->kernel[d], dilation = window->dilations[d];
      const std::int64_t outputs = concrete(window->output)->at(d);
      for (std::int64_t o = 0; o < outputs; ++o) {
        const std::int64_t start = o * window->strides[d] - window->pads_begin[d];
        const std::int64_t first = start < 0 ? (-start + dilation - 1) / dilation : 0;
        const std::int64_t behind = start < image[d] ? (image[d] - 1 - start) / dilation + 1 : 0;
        axes_[d].push_back(
            {start + first * dilation, std::max<std::int64_t>(std::min(kernel, behind) - first, 0), dilation});
      }
    }
  }

  std::int64_t count() const {
    std::int64_t windows = 1;
    for (const std::vector<Span>& axis : axes_) windows *= static_cast<std::int64_t>(axis.size());
    return windows;
  }

  // The pixels of window `number`, both counted row by row, in that order.
  void find(std::int64_t number, std::vector<std::int64_t>& pixels) const {
    pixels.assign(1, 0);
    std::int64_t below = count();
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      below /= static_cast<std::int64_t>(axes_[d].size());
      const Span& span = axes_[d][static_cast<std::size_t>(number / below)];
      number %= below;
      // Each pixel so far is a line of pixels now. From the last on, so that none is overwritten before it is read.
      const std::size_t lines = pixels.size(), length = static_cast<std::size_t>(span.count);
      pixels.resize(lines * length);
      for (std::size_t line = lines; line-- > 0;) {
        const std::int64_t first = pixels[line] * image_[d] + span.first;
        for (std::size_t k = length; k-- > 0;)
          pixels[line * length + k] = first + static_cast<std::int64_t>(k) * span.step;
      }
    }
  }

 private:
  struct Span {
    std::int64_t first, count, step;
  };

  Shape image_;
  std::vector<std::vector<Span>> axes_;  // of each window along the axis
};

struct PoolShape {
  std::int64_t images = 0, channels = 0, pixels = 0;
  Shape image;
  bool channels_inside = false;  // a pixel's channels stand side by side
};

// Nothing where the layout says that the last of several spatial axes is the channels'.
std::optional<PoolShape> pool_shape(const work::Pool& work, const Operand& x) {
  if (work.channels_last && x.layout == Layout::kChannelsLast) return std::nullopt;
  PoolShape shape;
  shape.images = x.shape[0];
  shape.channels = work.channels_last ? x.shape.back() : x.shape[1];
  shape.image =
      work.channels_last ? Shape(x.shape.begin() + 1, x.shape.end() - 1) : Shape(x.shape.begin() + 2, x.shape.end());
  shape.pixels = element_count(shape.image);
  shape.channels_inside = work.channels_last || x.layout == Layout::kChannelsLast;
  return shape;
}

// What all pools have in common.
class PoolKernel : public Kernel {
 public:
  PoolKernel(const work::Pool& work, const KernelContext& context, PoolShape shape)
      : PoolKernel(work, context, std::move(shape), split_of(work, context.at(work.x).type)) {}

 protected:
  const std::uint8_t* x(const ValuePointers& places) const { return bytes_at(places, x_); }
  std::uint8_t* y(const ValuePointers& places) const { return bytes_at(places, y_); }
  void finish(std::int64_t first, std::int64_t count, const ValuePointers& places) const {
    stages_.apply(y(places) + first, count, first, places);
  }

 private:
  // A maximum does not saturate: it leaves clamps to the stages.
  static SplitStages split_of(const work::Pool& work, DType type) {
    if (work.maximum) return {bounds_of(type), work.epilogue};
    return split_clamps(work.epilogue, type);
  }

  PoolKernel(const work::Pool& work, const KernelContext& context, PoolShape shape, const SplitStages& split)
      : shape_(std::move(shape)),
        x_meaning_(work.x_meaning),
        y_meaning_(work.y_meaning),
        is_signed_(context.at(work.x).type == DType::kInt8),
        bounds_(split.bounds),
        elements_(context.simd.elements),
        x_(work.x),
        y_(work.y),
        stages_(split.rest, context.at(work.x).type, context) {}

 protected:
  const PoolShape shape_;
  const Quantization x_meaning_, y_meaning_;
  const bool is_signed_;
  const Bounds bounds_;
  const Elements& elements_;

 private:
  const ValueId x_, y_;
  const Stages stages_;
};

// The average of the whole image, of an integer sum.
class WholeImageKernel : public PoolKernel {
 public:
  WholeImageKernel(const work::Pool& work, const KernelContext& context, const PoolShape& shape)
      : PoolKernel(work, context, shape),
        multipliers_(static_cast<std::size_t>(shape.channels),
                     average_multiplier(work.x_meaning.scale, work.y_meaning.scale, shape.pixels)),
        pixels_(static_cast<std::size_t>(shape.pixels)) {
    std::iota(pixels_.begin(), pixels_.end(), 0);
  }

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const std::int64_t channels = shape_.channels, pixels = shape_.pixels;
    const std::int64_t grain = std::max<std::int64_t>(64, kGrain / std::max<std::int64_t>(pixels, 1));
    parallel.for_each_block(shape_.images * channels, grain, [&](std::int64_t begin, std::int64_t end) {
      constexpr std::int64_t kAtOnce = 256;
      std::int32_t sums[kAtOnce];
      for (std::int64_t k = begin; k < end;) {
        const std::int64_t image = k / channels, channel = k % channels;
        const std::int64_t count = std::min({kAtOnce, end - k, channels - channel});
        add_up(x(places) + image * pixels * channels, channel, count, sums);
        elements_.requantize({sums, count, 1, count}, multipliers_.data() + channel, y_meaning_.zero_point, bounds_,
                             y(places) + k, count);
        finish(k, count, places);
        k += count;
      }
    });
  }
  std::string describe() const override { return "whole images"; }

 private:
  // Adds up an image: sums[i] is the sum of channel `first` + i.
  void add_up(const std::uint8_t* image, std::int64_t first, std::int64_t count, std::int32_t* sums) const {
    const std::int64_t pixels = shape_.pixels, zero_point = x_meaning_.zero_point;
    if (shape_.channels_inside)
      elements_.add_up({image + first, shape_.channels, pixels_}, count, x_meaning_.zero_point, is_signed_, sums);
    else
      for (std::int64_t i = 0; i < count; ++i)
        sums[i] = static_cast<std::int32_t>(elements_.sum(image + (first + i) * pixels, pixels, is_signed_) -
                                            zero_point * pixels);
  }

  const std::vector<float> multipliers_;
  std::vector<std::int64_t> pixels_;  // all of the image
};

// The maximum or the average of each window, of float sums.
class WindowKernel : public PoolKernel {
 public:
  WindowKernel(const work::Pool& work, const KernelContext& context, const PoolShape& shape)
      : PoolKernel(work, context, shape),
        windows_(work.window, shape.image),
        maximum_(work.maximum),
        taps_(work.window && work.count_include_pad ? std::optional(element_count(work.window->kernel))
                                                    : std::nullopt) {
    for (std::size_t byte = 0; byte < floats_.size(); ++byte)
      floats_[byte] = dequantize_linear(is_signed_ ? static_cast<std::int8_t>(byte) : static_cast<std::int32_t>(byte),
                                        work.x_meaning);
  }

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    if (shape_.channels_inside)
      run_pixels(places, parallel);
    else
      run_planes(places, parallel);
  }
  std::string describe() const override { return shape_.channels_inside ? "pixels" : "planes"; }

 private:
  std::int64_t divisor(const std::vector<std::int64_t>& pixels) const { return taps_.value_or(std::ssize(pixels)); }

  // All channels of a window at once.
  void run_pixels(const ValuePointers& places, const Parallel& parallel) const {
    const std::int64_t windows = windows_.count(), channels = shape_.channels;
    const std::int64_t grain = 1 + kGrain / 4 / std::max<std::int64_t>(channels, 1);
    parallel.for_each_block(shape_.images * windows, grain, [&](std::int64_t begin, std::int64_t end) {
      thread_local std::vector<std::int64_t> pixels;  // keeps its memory from run to run
      for (std::int64_t k = begin; k < end; ++k) {
        windows_.find(k % windows, pixels);
        const std::uint8_t* image = x(places) + k / windows * shape_.pixels * channels;
        std::uint8_t* to = y(places) + k * channels;
        if (maximum_)
          greatest(image, pixels, to);
        else
          average(image, pixels, to);
        finish(k * channels, channels, places);
      }
    });
  }

  void greatest(const std::uint8_t* image, const std::vector<std::int64_t>& pixels, std::uint8_t* to) const {
    std::memset(to, bounds_.low, static_cast<std::size_t>(shape_.channels));
    for (const std::int64_t pixel : pixels)
      elements_.maximum(image + pixel * shape_.channels, shape_.channels, is_signed_, to);
  }

  void average(const std::uint8_t* image, const std::vector<std::int64_t>& pixels, std::uint8_t* to) const {
    const std::int64_t channels = shape_.channels;
    auto* sums = reinterpret_cast<float*>(scratch(static_cast<std::size_t>(channels) * sizeof(float)));
    elements_.add_up_floats({image, channels, pixels}, channels, x_meaning_, is_signed_, sums);
    elements_.average(sums, channels, divisor(pixels), y_meaning_, bounds_, to);
  }

  void run_planes(const ValuePointers& places, const Parallel& parallel) const {
    const std::int64_t windows = windows_.count();
    const std::int64_t grain = 1 + kGrain / 16 / std::max<std::int64_t>(windows, 1);
    parallel.for_each_block(shape_.images * shape_.channels, grain, [&](std::int64_t begin, std::int64_t end) {
      constexpr std::int64_t kAtOnce = 16;  // planes for which the pixels of a window are found once
      thread_local std::vector<std::int64_t> pixels;
      for (std::int64_t first = begin; first < end; first += kAtOnce) {
        const std::int64_t behind = std::min(first + kAtOnce, end);
        for (std::int64_t window = 0; window < windows; ++window) {
          windows_.find(window, pixels);
          for (std::int64_t plane = first; plane < behind; ++plane) {
            const std::uint8_t* from = x(places) + plane * shape_.pixels;
            y(places)[plane * windows + window] = maximum_ ? greatest_of(from, pixels) : average_of(from, pixels);
          }
        }
        finish(first * windows, (behind - first) * windows, places);
      }
    });
  }

  std::uint8_t greatest_of(const std::uint8_t* plane, const std::vector<std::int64_t>& pixels) const {
    const int flip = is_signed_ ? 0x80 : 0;  // int8 as uint8 that are 128 greater
    int found = 0;
    for (const std::int64_t pixel : pixels) found = std::max(found, plane[pixel] ^ flip);
    return static_cast<std::uint8_t>(found ^ flip);
  }

  std::uint8_t average_of(const std::uint8_t* plane, const std::vector<std::int64_t>& pixels) const {
    float sum = 0;
    for (const std::int64_t pixel : pixels) sum += floats_[plane[pixel]];
    std::uint8_t found;
    elements_.average(&sum, 1, divisor(pixels), y_meaning_, bounds_, &found);
    return found;
  }

  const Windows windows_;
  const bool maximum_;
  const std::optional<std::int64_t> taps_;  // what an average divides by, unless by the pixels inside
  std::array<float, 256> floats_;           // what each byte means
};

}  // namespace

bool fits(const work::Pool& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y)) return false;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  if (!has_bytes(x) || !has_bytes(y) || x.layout != y.layout || x.shape.size() < 3) return false;
  if (work.window && !concrete(work.window->output)) return false;
  return pool_shape(work, x) && stages_fit(work.epilogue, work.y, context);
}

KernelPtr make_kernel(const work::Pool& work, const KernelContext& context) {
  const PoolShape shape = *pool_shape(work, context.at(work.x));
  if (!work.maximum && !work.sums_in_float) return std::make_unique<WholeImageKernel>(work, context, shape);
  return std::make_unique<WindowKernel>(work, context, shape);
}

}  // namespace octet::fast
