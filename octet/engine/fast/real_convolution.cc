// Convolutions of floats by constant weights.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "octet/engine/fast/real_stages.h"
#include "octet/engine/fast/real_weights.h"
#include "octet/engine/fast/regions.h"
#include "octet/engine/fast/simd/simd.h"

namespace octet::fast {
namespace {

// A product with padding is a zero, and adding one changes nothing but the sign of a zero: where nobody can tell, and no weight makes
// it NaN, padding is left out of the sums.
bool may_skip_padding(const Tensor& weights, const RealStages& stages) {
  const std::span<const float> w = weights.as<float>();
  return stages.forget_sign_of_zero() && std::all_of(w.begin(), w.end(), [](float x) { return std::isfinite(x); });
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

// Of as many elements as x and y have: files may say anything, and nobody means more.
constexpr double kMostPadding = 8;

class RealConvolutionKernel final : public Kernel {
 public:
  RealConvolutionKernel(const work::RealConvolution& work, const Making& making, const Geometry& geometry,
                        const RealStages& stages, std::optional<PaddedImages> padded, const Steps& x,
                        std::vector<Region> regions, bool depthwise)
      : reals_(making.simd.reals),
        x_(work.x),
        y_(work.y),
        geometry_(geometry),
        x_steps_(x),
        channels_(work.weights.shape()[0]),
        stages_(stages),
        padded_(std::move(padded)),
        walk_(geometry, std::move(regions), x, steps_of(geometry.output, channels_, Layout::kChannelsLast),
              work.weights.size()),
        depthwise_(depthwise) {
    const std::int64_t taps = geometry.taps();
    if (depthwise)
      weights_ = transposed_weights(work.weights.as<float>(), channels_, taps);
    else
      weights_ = packed_weights(work.weights.as<float>(), geometry.group, channels_ / geometry.group,
                                geometry.group_channels() * taps, reals_.lanes);
    for (const Region& region : walk_.regions()) {
      Round round;
      const std::int64_t width = depthwise ? channels_ : weights_.width;
      const auto count = static_cast<std::int64_t>(region.taps.size());
      round.channels = depthwise ? 1 : channels_in_round(geometry.group_channels(), count);
      for (std::int64_t c = 0; c < round.channels; ++c)
        for (const Region::Tap& tap : region.taps)
          round.taps.push_back({tap.offset + c * x.channel, (c * taps + tap.number) * width});
      rounds_.push_back(std::move(round));
    }
  }

  void run(const Places& places, const Parallel& parallel) const override {
    const auto* x = reinterpret_cast<const float*>(places[x_]);
    if (padded_) x = padded_->make(x);
    auto* const y = reinterpret_cast<float*>(places[y_]);
    const RealStages::Bound bound = stages_.bind(places);
    walk_.for_each(parallel, [&](std::size_t region, const RealPixels& pixels) {
      const Round& round = rounds_[region];
      if (depthwise_)
        return reals_.windows({.kind = RealWindows::Kind::kProducts,
                               .x = x,
                               .taps = round.taps,
                               .w = weights_.values.data(),
                               .channels = channels_,
                               .y = y,
                               .stages = bound.stages()},
                              pixels);
      const std::int64_t in = geometry_.group_channels(), out = channels_ / geometry_.group;
      for (std::int64_t g = 0; g < geometry_.group; ++g)
        reals_.sums({.x = x + g * in * x_steps_.channel,
                     .taps = round.taps,
                     .rounds = in / round.channels,
                     .x_step = round.channels * x_steps_.channel,
                     .w_step = round.channels * geometry_.taps() * weights_.width,
                     .w = weights_.values.data() + g * weights_.group_step,
                     .block_step = weights_.block_step,
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
    std::vector<RealTap> taps;
  };

  const RealProducts& reals_;
  const ValueId x_, y_;
  const Geometry geometry_;
  const Steps x_steps_;
  const std::int64_t channels_;  // of y, all groups
  const RealStages stages_;
  const std::optional<PaddedImages> padded_;
  const RegionWalk walk_;
  const bool depthwise_;
  RealWeights weights_;
  std::vector<Round> rounds_;  // of each region
};

}  // namespace

KernelPtr make_kernel(const work::RealConvolution& work, const Making& making) {
  if (!making.known(work.x) || !making.known(work.y)) return nullptr;
  const Operand &x = making.at(work.x), &y = making.at(work.y);
  if (x.type != DType::kFloat || y.type != DType::kFloat || y.layout != Layout::kChannelsLast) return nullptr;
  if (x.size() == 0 || y.size() == 0 || !real_stages_fit(work.epilogue, work.y, making)) return nullptr;
  std::optional<Geometry> geometry = geometry_of(work.window, work.group, x);
  if (!geometry) return nullptr;
  const bool depthwise = work.group > 1 && work.group == geometry->channels && work.weights.shape()[0] == work.group;
  if (depthwise && x.layout != Layout::kChannelsLast) return nullptr;
  const RealStages stages(work.epilogue);
  std::optional<PaddedImages> padded;
  if (!may_skip_padding(work.weights, stages)) {
    const PaddedImages images(*geometry, x.layout);
    const bool pads = images.geometry().input != geometry->input || geometry->pads != Axes{0, 0, 0};
    if (pads) {
      if (images.size() > kMostPadding * static_cast<double>(x.size() + y.size())) return nullptr;
      padded = images;
      geometry = images.geometry();
    }
  }
  const Steps steps = steps_of(geometry->input, geometry->channels, x.layout);
  std::optional<std::vector<Region>> regions = regions_of(*geometry, {}, steps);
  if (!regions) return nullptr;
  return std::make_unique<RealConvolutionKernel>(work, making, *geometry, stages, padded, steps, std::move(*regions),
                                                 depthwise);
}

}  // namespace octet::fast
