// Convolutions of floats by constant weights.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "octet/engine/fast/float_stages.h"
#include "octet/engine/fast/float_weights.h"
#include "octet/engine/fast/regions.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast/weight_store.h"

namespace octet::fast {
namespace {

// A product with padding is a zero, and adding one changes at most the sign of a zero. Padding is left out of the sums where that
// sign does not show in the result and no weight makes the product NaN.
struct Finiteness {
  bool all_are_finite = false;

  static std::int64_t bytes() { return sizeof(Finiteness); }
};

bool may_skip_padding(const Tensor& weights, const FloatStages& stages, WeightStore& store) {
  if (!stages.forget_sign_of_zero()) return false;
  return store
      .get(weights, {.name = "finiteness"},
           [&] {
             return Finiteness{std::ranges::all_of(weights.as<float>(), [](float x) { return std::isfinite(x); })};
           })
      ->all_are_finite;
}

// Images with their padding around them.
class PaddedImages {
 public:
  PaddedImages(const Geometry& geometry, Layout layout) : geometry_(geometry) {
    planes_ = geometry.images * (layout == Layout::kChannelsLast ? 1 : geometry.channels);
    elements_ = layout == Layout::kChannelsLast ? geometry.channels : 1;
    for (const std::size_t d : {0U, 1U, 2U})
      extents_[d] =
          (geometry.output[d] - 1) * geometry.strides[d] + (geometry.kernel[d] - 1) * geometry.dilations[d] + 1;
  }

  Geometry geometry() const {
    Geometry padded = geometry_;
    padded.input = extents_;
    padded.pads = {0, 0, 0};
    return padded;
  }

  double size() const {
    return static_cast<double>(planes_ * elements_) * static_cast<double>(extents_[0]) *
           static_cast<double>(extents_[1]) * static_cast<double>(extents_[2]);
  }

  // In memory of the calling thread.
  const float* make(const float* x) const {
    const std::int64_t rows = planes_ * extents_[0] * extents_[1], row = extents_[2] * elements_;
    auto* const y =
        reinterpret_cast<float*>(scratch(static_cast<std::size_t>(rows * row) * sizeof(float), Use::kWhole));
    const auto [depths, heights, widths] = geometry_.input;
    const std::int64_t begin = std::clamp<std::int64_t>(geometry_.pads[2], 0, extents_[2]);
    const std::int64_t count =
        std::clamp<std::int64_t>(widths + std::min<std::int64_t>(geometry_.pads[2], 0), 0, extents_[2] - begin);
    for (std::int64_t r = 0; r < rows; ++r) {
      float* to = y + r * row;
      const std::int64_t plane = r / (extents_[0] * extents_[1]);
      const std::int64_t depth = r / extents_[1] % extents_[0] - geometry_.pads[0];
      const std::int64_t height = r % extents_[1] - geometry_.pads[1];
      const bool inside = depth >= 0 && depth < depths && height >= 0 && height < heights;
      std::fill_n(to, inside ? begin * elements_ : row, 0.0F);
      if (!inside) continue;
      const float* from =
          x + (((plane * depths + depth) * heights + height) * widths + begin - geometry_.pads[2]) * elements_;
      std::copy_n(from, count * elements_, to + begin * elements_);
      std::fill(to + (begin + count) * elements_, to + row, 0.0F);
    }
    return y;
  }

 private:
  Geometry geometry_;
  std::int64_t planes_, elements_;
  Axes extents_{};
};

// The most elements of padded images for each element of x and y. Hostile files may declare any padding.
constexpr double kMostPadding = 8;

// How a convolution is computed.
struct FloatConvolutionForm {
  Geometry geometry;
  bool depthwise = false;
  std::optional<PaddedImages> padded;  // whose geometry it is, if there are
  Steps x;
  std::vector<Region> regions;
};

// Requires float work whose stages fit. Returns nothing if there is no such kernel.
std::optional<FloatConvolutionForm> form_of(const work::FloatConvolution& work, const KernelContext& context) {
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  const std::optional<Geometry> geometry = geometry_of(work.window, work.group, x);
  if (!geometry) return std::nullopt;
  FloatConvolutionForm form{.geometry = *geometry, .depthwise = false, .padded = {}, .x = {}, .regions = {}};
  form.depthwise = work.group > 1 && work.group == geometry->channels && work.weights.shape()[0] == work.group;
  if (form.depthwise && x.layout != Layout::kChannelsLast) return std::nullopt;
  if (!may_skip_padding(work.weights, FloatStages(work.epilogue), context.weights)) {
    const PaddedImages images(*geometry, x.layout);
    const bool pads = images.geometry().input != geometry->input || geometry->pads != Axes{0, 0, 0};
    if (pads) {
      if (images.size() > kMostPadding * static_cast<double>(x.size() + y.size())) return std::nullopt;
      form.padded = images;
      form.geometry = images.geometry();
    }
  }
  form.x = steps_of(form.geometry.input, form.geometry.channels, x.layout);
  std::optional<std::vector<Region>> regions = regions_of(form.geometry, {}, form.x);
  if (!regions) return std::nullopt;
  form.regions = std::move(*regions);
  return form;
}

class FloatConvolutionKernel final : public Kernel {
 public:
  FloatConvolutionKernel(const work::FloatConvolution& work, const KernelContext& context, FloatConvolutionForm form)
      : floats_(context.simd.floats),
        x_(work.x),
        y_(work.y),
        geometry_(form.geometry),
        x_steps_(form.x),
        channels_(work.weights.shape()[0]),
        stages_(work.epilogue),
        padded_(form.padded),
        walk_(geometry_, std::move(form.regions), x_steps_,
              steps_of(geometry_.output, channels_, Layout::kChannelsLast), work.weights.size()),
        depthwise_(form.depthwise) {
    const std::int64_t taps = geometry_.taps(), group = geometry_.group;
    weights_ = context.weights.get(work.weights, {.name = "float convolution", .numbers = {depthwise_, group}}, [&] {
      const std::span<const float> all = work.weights.as<float>();
      if (depthwise_) return transposed_weights(all, channels_, taps);
      return packed_weights(all, group, channels_ / group, geometry_.group_channels() * taps, floats_.lanes);
    });
    for (const Region& region : walk_.regions()) {
      Round round;
      const std::int64_t width = depthwise_ ? channels_ : weights_->width;
      const auto count = static_cast<std::int64_t>(region.taps.size());
      round.channels = depthwise_ ? 1 : channels_in_round(geometry_.group_channels(), count);
      for (std::int64_t c = 0; c < round.channels; ++c)
        for (const Region::Tap& tap : region.taps)
          round.taps.push_back({tap.offset + c * x_steps_.channel, (c * taps + tap.number) * width});
      rounds_.push_back(std::move(round));
    }
  }

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const auto* x = reinterpret_cast<const float*>(places[x_]);
    if (padded_) x = padded_->make(x);
    auto* const y = reinterpret_cast<float*>(places[y_]);
    const FloatStages::Bound bound = stages_.bind(places);
    walk_.for_each(parallel, [&](std::size_t region, const FloatPixels& pixels) {
      const Round& round = rounds_[region];
      if (depthwise_)
        return floats_.windows({.kind = FloatWindows::Kind::kProducts,
                                .x = x,
                                .taps = round.taps,
                                .w = weights_->values.data(),
                                .channels = channels_,
                                .y = y,
                                .stages = bound.stages()},
                               pixels);
      const std::int64_t in = geometry_.group_channels(), out = channels_ / geometry_.group;
      for (std::int64_t g = 0; g < geometry_.group; ++g)
        floats_.sums({.x = x + g * in * x_steps_.channel,
                      .taps = round.taps,
                      .rounds = in / round.channels,
                      .x_step = round.channels * x_steps_.channel,
                      .w_step = round.channels * geometry_.taps() * weights_->width,
                      .w = weights_->values.data() + g * weights_->group_step,
                      .block_step = weights_->block_step,
                      .first = g * out,
                      .channels = out,
                      .y = y,
                      .stages = bound.stages()},
                     pixels);
    });
  }

  std::string describe() const override { return depthwise_ ? "float, depthwise" : "float sums"; }

 private:
  // Some input channels, with all taps of each.
  struct Round {
    std::int64_t channels = 1;
    std::vector<FloatTap> taps;
  };

  const FloatProducts& floats_;
  const ValueId x_, y_;
  const Geometry geometry_;
  const Steps x_steps_;
  const std::int64_t channels_;  // of y, all groups
  const FloatStages stages_;
  const std::optional<PaddedImages> padded_;
  const RegionWalk walk_;
  const bool depthwise_;
  std::shared_ptr<const FloatWeights> weights_;
  std::vector<Round> rounds_;  // of each region
};

}  // namespace

bool fits(const work::FloatConvolution& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y)) return false;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  if (x.type != DType::kFloat || y.type != DType::kFloat || y.layout != Layout::kChannelsLast) return false;
  if (x.size() == 0 || y.size() == 0 || !float_stages_fit(work.epilogue, work.y, context)) return false;
  return form_of(work, context).has_value();
}

KernelPtr make_kernel(const work::FloatConvolution& work, const KernelContext& context) {
  return std::make_unique<FloatConvolutionKernel>(work, context, *form_of(work, context));
}

}  // namespace octet::fast
