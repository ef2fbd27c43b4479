// Pools of floats, with their channels last.
#include <algorithm>

#include "octet/engine/fast/real_stages.h"
#include "octet/engine/fast/regions.h"
#include "octet/engine/fast/simd/simd.h"

namespace octet::fast {
namespace {

using Kind = RealWindows::Kind;

class RealPoolKernel final : public Kernel {
 public:
  RealPoolKernel(const work::RealPool& work, const Making& making, const Geometry& geometry, const Steps& x,
                 std::vector<Region> regions)
      : reals_(making.simd.reals),
        x_(work.x),
        y_(work.y),
        channels_(geometry.channels),
        kind_(work.maximum  ? Kind::kMaximum
              : work.window ? Kind::kAverage
                            : Kind::kMean),
        stages_(work.epilogue),
        walk_(geometry, std::move(regions), x, steps_of(geometry.output, geometry.channels, Layout::kChannelsLast),
              geometry.taps() * geometry.channels) {
    for (const Region& region : walk_.regions()) {
      Seen& seen = seen_.emplace_back();
      for (const Region::Tap& tap : region.taps) seen.taps.push_back({tap.offset, 0});
      seen.divisor = work.count_include_pad ? region.padded : static_cast<double>(region.taps.size());
    }
  }

  void run(const Places& places, const Parallel& parallel) const override {
    const auto* x = reinterpret_cast<const float*>(places[x_]);
    auto* const y = reinterpret_cast<float*>(places[y_]);
    const RealStages::Bound bound = stages_.bind(places);
    walk_.for_each(parallel, [&](std::size_t region, const RealPixels& pixels) {
      reals_.windows({.kind = kind_,
                      .x = x,
                      .taps = seen_[region].taps,
                      .divisor = seen_[region].divisor,
                      .channels = channels_,
                      .y = y,
                      .stages = bound.stages()},
                     pixels);
    });
  }

  std::string describe() const override { return kind_ == Kind::kMean ? "float, whole images" : "float windows"; }

 private:
  struct Seen {
    std::vector<RealTap> taps;
    double divisor = 1;
  };

  const RealProducts& reals_;
  const ValueId x_, y_;
  const std::int64_t channels_;
  const Kind kind_;
  const RealStages stages_;
  const RegionWalk walk_;
  std::vector<Seen> seen_;  // by each region
};

// One window over everything.
Window whole_image(const Shape& image) {
  const std::vector<std::int64_t> ones(image.size(), 1), zeros(image.size(), 0);
  return {.kernel = image,
          .strides = ones,
          .dilations = ones,
          .pads_begin = zeros,
          .pads_end = zeros,
          .output = symbolic(Shape(image.size(), 1))};
}

}  // namespace

KernelPtr make_kernel(const work::RealPool& work, const Making& making) {
  if (!making.known(work.x) || !making.known(work.y)) return nullptr;
  const Operand &x = making.at(work.x), &y = making.at(work.y);
  if (x.type != DType::kFloat || y.type != DType::kFloat || x.size() == 0 || y.size() == 0) return nullptr;
  if (x.layout != Layout::kChannelsLast || y.layout != Layout::kChannelsLast || x.shape.size() > 5) return nullptr;
  if (!real_stages_fit(work.epilogue, work.y, making)) return nullptr;
  const Window window = work.window ? *work.window : whole_image({x.shape.begin() + 2, x.shape.end()});
  const std::optional<Geometry> geometry = geometry_of(window, 1, x);
  if (!geometry) return nullptr;
  Axes pads_end{};
  std::copy_backward(window.pads_end.begin(), window.pads_end.end(), pads_end.end());
  const Steps steps = steps_of(geometry->input, geometry->channels, x.layout);
  std::optional<std::vector<Region>> regions = regions_of(*geometry, pads_end, steps);
  if (!regions) return nullptr;
  return std::make_unique<RealPoolKernel>(work, making, *geometry, steps, std::move(*regions));
}

}  // namespace octet::fast
