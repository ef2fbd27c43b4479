// Kernels between floats and bytes: Quantize, Dequantize and QuantizeDynamically. From one layout into the other they go
// through a tile that stays in the cache.
#include <algorithm>
#include <cstring>

#include "octet/engine/fast/combination.h"
#include "octet/engine/fast/dynamic_quantization.h"
#include "octet/engine/fast/memory_order.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast/words.h"
#include "octet/spec/quantized/dequantize_row.h"

namespace octet::fast {
namespace {

// Scales and zero points of a tensor, one for all or one for each index along an axis.
struct Parameters {
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;

  Quantization at(std::int64_t index) const { return {one_or(scales, index), one_or(zero_points, index)}; }
};

// Elements from x to y, of the same shape. Where the layouts differ, one image is a matrix of channels and pixels;
// elsewhere `channels` are what scales differ along, and `pixels` what stands behind each.
class Border {
 public:
  Border(const Operand& x, const Operand& y, std::int64_t axis, bool one_scale)
      : x_(x.id), y_(y.id), size_(x.size()), changes_layout_(x.layout != y.layout), pixels_(size_) {
    if (one_scale && !changes_layout_) return;
    const Shape shape = changes_layout_ ? x.shape : memory_shape(x);
    const std::size_t place = changes_layout_ ? 1 : memory_axis(x.layout, shape.size(), static_cast<std::size_t>(axis));
    channels_ = shape[place];
    pixels_ = element_count(std::span(shape).subspan(place + 1));
  }

  ValueId x() const { return x_; }
  ValueId y() const { return y_; }
  std::int64_t size() const { return size_; }
  std::int64_t channels() const { return channels_; }
  std::int64_t pixels() const { return pixels_; }
  bool changes_layout() const { return changes_layout_; }  // x and y differ in layout

  // f(first, count, channel) for runs of neighbours, where the layouts are the same.
  template <typename F>
  void for_each_run(const Parallel& parallel, F f) const {
    parallel.for_each_block(size_, kGrain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end;) {
        const std::int64_t count = std::min(pixels_ - k % pixels_, end - k);
        f(k, count, k / pixels_ % channels_);
        k += count;
      }
    });
  }

  // f(image, pixel, count, tile) for some pixels of an image, all channels of them; the tile has a byte for each.
  template <typename F>
  void for_each_tile(const Parallel& parallel, F f) const {
    if (size_ == 0) return;
    const std::int64_t width = std::min(std::clamp<std::int64_t>(kGrain / channels_ / 64 * 64, 64, 1024), pixels_);
    const std::int64_t tiles = (pixels_ + width - 1) / width, images = size_ / (channels_ * pixels_);
    const std::int64_t grain = 1 + kGrain / (channels_ * width);
    parallel.for_each_block(images * tiles, grain, [&](std::int64_t begin, std::int64_t end) {
      auto* tile = reinterpret_cast<std::uint8_t*>(scratch(static_cast<std::size_t>(channels_ * width)));
      for (std::int64_t k = begin; k < end; ++k) {
        const std::int64_t pixel = k % tiles * width;
        f(k / tiles, pixel, std::min(width, pixels_ - pixel), tile);
      }
    });
  }

 private:
  ValueId x_, y_;
  std::int64_t size_;
  bool changes_layout_;
  std::int64_t channels_ = 1, pixels_;
};

// Floats turn their channels last when they become bytes, and bytes turn them back.
bool can_turn(const Operand& floats, const Operand& bytes, std::int64_t axis, bool one_scale) {
  if (floats.layout == bytes.layout) return true;
  return floats.layout == Layout::kAsDeclared && floats.shape.size() >= 2 && (one_scale || axis == 1);
}

void quantize_into(const Border& border, const Parameters& parameters, Bounds bounds, const Elements& elements,
                   const ValuePointers& places, const Parallel& parallel) {
  const auto* x = reinterpret_cast<const float*>(places[border.x()]);
  std::uint8_t* y = bytes_at(places, border.y());
  if (!border.changes_layout())
    return border.for_each_run(parallel, [&](std::int64_t first, std::int64_t count, std::int64_t channel) {
      elements.quantize(x + first, count, parameters.at(channel), bounds, y + first);
    });
  const std::int64_t channels = border.channels(), pixels = border.pixels();
  border.for_each_tile(parallel, [&](std::int64_t image, std::int64_t pixel, std::int64_t count, std::uint8_t* tile) {
    for (std::int64_t c = 0; c < channels; ++c)
      elements.quantize(x + (image * channels + c) * pixels + pixel, count, parameters.at(c), bounds, tile + c * count);
    elements.transpose8(tile, count, channels, count, y + (image * pixels + pixel) * channels, channels);
  });
}

class QuantizeKernel : public Kernel {
 public:
  QuantizeKernel(const work::Quantize& work, const KernelContext& context)
      : border_(context.at(work.x), context.at(work.y), work.axis, work.scales.size() == 1),
        parameters_{work.scales, work.zero_points},
        bounds_(bounds_of(context.at(work.y).type)),
        elements_(context.simd.elements) {}

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    quantize_into(border_, parameters_, bounds_, elements_, places, parallel);
  }
  std::string describe() const override { return border_.changes_layout() ? "channels last" : "elements"; }

 private:
  Border border_;
  Parameters parameters_;
  Bounds bounds_;
  const Elements& elements_;
};

class QuantizeDynamicallyKernel : public Kernel {
 public:
  QuantizeDynamicallyKernel(const work::QuantizeDynamically& work, const KernelContext& context)
      : border_(context.at(work.x), context.at(work.y), 0, true),
        scale_(work.scale),
        zero_point_(work.zero_point),
        elements_(context.simd.elements) {}

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const auto* x = reinterpret_cast<const float*>(places[border_.x()]);
    const Quantization found = found_quantization(x, border_.size(), elements_, parallel);
    if (scale_ != kNoValue) std::memcpy(places[scale_], &found.scale, sizeof(found.scale));
    if (zero_point_ != kNoValue) *bytes_at(places, zero_point_) = static_cast<std::uint8_t>(found.zero_point);
    quantize_into(border_, {{found.scale}, {found.zero_point}}, {0, 255}, elements_, places, parallel);
  }
  std::string describe() const override { return border_.changes_layout() ? "channels last" : "elements"; }

 private:
  Border border_;
  ValueId scale_, zero_point_;
  const Elements& elements_;
};

class DequantizeKernel : public Kernel {
 public:
  DequantizeKernel(const work::Dequantize& work, const KernelContext& context)
      : border_(context.at(work.x), context.at(work.y), work.axis, work.scales.size() == 1),
        parameters_{work.scales, work.zero_points},
        is_signed_(context.at(work.x).type == DType::kInt8),
        elements_(context.simd.elements) {
    parameters_.zero_points.resize(parameters_.scales.size(), one_or(work.zero_points, 0));
  }

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const std::uint8_t* x = bytes_at(places, border_.x());
    auto* y = reinterpret_cast<float*>(places[border_.y()]);
    if (!border_.changes_layout() && border_.pixels() == 1)
      return is_signed_ ? run_rows(reinterpret_cast<const std::int8_t*>(x), y, parallel) : run_rows(x, y, parallel);
    if (!border_.changes_layout())
      return border_.for_each_run(parallel, [&](std::int64_t first, std::int64_t count, std::int64_t channel) {
        elements_.dequantize(x + first, count, parameters_.at(channel), is_signed_, y + first);
      });
    const std::int64_t channels = border_.channels(), pixels = border_.pixels();
    border_.for_each_tile(
        parallel, [&](std::int64_t image, std::int64_t pixel, std::int64_t count, std::uint8_t* tile) {
          elements_.transpose8(x + (image * pixels + pixel) * channels, channels, count, channels, tile, count);
          for (std::int64_t c = 0; c < channels; ++c)
            elements_.dequantize(tile + c * count, count, parameters_.at(c), is_signed_,
                                 y + (image * channels + c) * pixels + pixel);
        });
  }
  std::string describe() const override { return border_.changes_layout() ? "channels first" : "elements"; }

 private:
  // All channels of a pixel, then those of the next.
  template <typename T>
  void run_rows(const T* x, float* y, const Parallel& parallel) const {
    const std::int64_t channels = border_.channels();
    parallel.for_each_block(
        border_.size() / channels, 1 + kGrain / channels, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t k = begin * channels; k < end * channels; k += channels)
            dequantize_row(x + k, channels, parameters_.scales.data(), parameters_.zero_points.data(), y + k);
        });
  }

  Border border_;
  Parameters parameters_;
  bool is_signed_;
  const Elements& elements_;
};

}  // namespace

bool fits(const work::Quantize& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y)) return false;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  if (x.type == DType::kFloat && has_words(y)) return x.layout == y.layout;
  if (x.type != DType::kFloat || !has_bytes(y) || !can_turn(x, y, work.axis, work.scales.size() == 1)) return false;
  return true;
}

KernelPtr make_kernel(const work::Quantize& work, const KernelContext& context) {
  if (has_words(context.at(work.y))) return make_word_kernel(work, context);
  return std::make_unique<QuantizeKernel>(work, context);
}

bool fits(const work::Dequantize& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y)) return false;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  if (has_words(x) && y.type == DType::kFloat) return x.layout == y.layout;
  if (!has_bytes(x) || y.type != DType::kFloat || !can_turn(y, x, work.axis, work.scales.size() == 1)) return false;
  return true;
}

KernelPtr make_kernel(const work::Dequantize& work, const KernelContext& context) {
  if (has_words(context.at(work.x))) return make_word_kernel(work, context);
  return std::make_unique<DequantizeKernel>(work, context);
}

bool fits(const work::QuantizeDynamically& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y)) return false;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  if (x.type != DType::kFloat || !has_bytes(y) || !can_turn(x, y, 0, true)) return false;
  return true;
}

KernelPtr make_kernel(const work::QuantizeDynamically& work, const KernelContext& context) {
  return std::make_unique<QuantizeDynamicallyKernel>(work, context);
}

}  // namespace octet::fast
