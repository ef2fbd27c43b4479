// Pools of floats, with their channels last.
#include <algorithm>

#include "octet/engine/fast/float_stages.h"
#include "octet/engine/fast/regions.h"
#include "octet/engine/fast/simd/simd.h"

namespace octet::fast {
namespace {

using Kind = FloatWindows::Kind;

// What each pixel of y sees of x.
struct PooledRegions {
  Geometry geometry;
  Steps x;
  std::vector<Region> regions;
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

std::optional<PooledRegions> pooled_regions(const work::FloatPool& work, const Operand& x) {
  const Window window = work.window ? *work.window : whole_image({x.shape.begin() + 2, x.shape.end()});
  const std::optional<Geometry> geometry = geometry_of(window, 1, x);
  if (!geometry) return std::nullopt;
  Axes pads_end{};
  std::copy_backward(window.pads_end.begin(), window.pads_end.end(), pads_end.end());
  const Steps steps = steps_of(geometry->input, geometry->channels, x.layout);
  std::optional<std::vector<Region>> regions = regions_of(*geometry, pads_end, steps);
  if (!regions) return std::nullopt;
  return PooledRegions{*geometry, steps, std::move(*regions)};
}

class FloatPoolKernel final : public Kernel {
 public:
  FloatPoolKernel(const work::FloatPool& work, const KernelContext& context, PooledRegions pooled)
      : floats_(context.simd.floats),
        x_(work.x),
        y_(work.y),
        channels_(pooled.geometry.channels),
        kind_(work.maximum  ? Kind::kMaximum
              : work.window ? Kind::kAverage
                            : Kind::kMean),
        stages_(work.epilogue),
        walk_(pooled.geometry, std::move(pooled.regions), pooled.x,
              steps_of(pooled.geometry.output, channels_, Layout::kChannelsLast), pooled.geometry.taps() * channels_) {
    for (const Region& region : walk_.regions()) {
      Seen& seen = seen_.emplace_back();
      for (const Region::Tap& tap : region.taps) seen.taps.push_back({tap.offset, 0});
      seen.divisor = work.count_include_pad ? region.padded : static_cast<double>(region.taps.size());
    }
  }

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const auto* x = reinterpret_cast<const float*>(places[x_]);
    auto* const y = reinterpret_cast<float*>(places[y_]);
    const FloatStages::Bound bound = stages_.bind(places);
    walk_.for_each(parallel, [&](std::size_t region, const FloatPixels& pixels) {
      floats_.windows({.kind = kind_,
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
    std::vector<FloatTap> taps;
    double divisor = 1;
  };

  const FloatProducts& floats_;
  const ValueId x_, y_;
  const std::int64_t channels_;
  const Kind kind_;
  const FloatStages stages_;
  const RegionWalk walk_;
  std::vector<Seen> seen_;  // by each region
};

}  // namespace

bool fits(const work::FloatPool& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y)) return false;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  if (x.type != DType::kFloat || y.type != DType::kFloat || x.size() == 0 || y.size() == 0) return false;
  if (x.layout != Layout::kChannelsLast || y.layout != Layout::kChannelsLast || x.shape.size() > 5) return false;
  return float_stages_fit(work.epilogue, work.y, context) && pooled_regions(work, x);
}

KernelPtr make_kernel(const work::FloatPool& work, const KernelContext& context) {
  return std::make_unique<FloatPoolKernel>(work, context, *pooled_regions(work, context.at(work.x)));
}

}  // namespace octet::fast
