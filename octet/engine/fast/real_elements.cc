// Work on the elements of floats.
#include <algorithm>

#include "octet/engine/fast/real_stages.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast/standing.h"

namespace octet::fast {
namespace {

class RealElementsKernel final : public Kernel {
 public:
  // Rows of channels, or all elements in a row of any length.
  RealElementsKernel(const work::RealElements& work, const Making& making, RealStages stages, std::int64_t channels)
      : reals_(making.simd.reals),
        x_(work.x),
        y_(work.y),
        channels_(channels),
        rows_(making.at(work.y).size() / channels),
        stages_(std::move(stages)) {}

  void run(const Places& places, const Parallel& parallel) const override {
    const auto* x = reinterpret_cast<const float*>(places[x_]);
    auto* const y = reinterpret_cast<float*>(places[y_]);
    const RealStages::Bound bound = stages_.bind(places);
    const bool in_a_row = !stages_.differ_by_channel();
    const std::int64_t width = in_a_row ? 1 : channels_;
    parallel.for_each_block(rows_ * channels_ / width, kGrain / width + 1, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t first = begin * width, count = end - begin;
      const RealStages::Bound here = bound.from(first);
      reals_.elements(x + first, in_a_row ? 1 : count, in_a_row ? count : width, here.stages(), y + first);
    });
  }

  std::string describe() const override { return "float elements"; }

 private:
  const RealProducts& reals_;
  const ValueId x_, y_;
  const std::int64_t channels_, rows_;
  const RealStages stages_;
};

}  // namespace

KernelPtr make_kernel(const work::RealElements& work, const Making& making) {
  if (!making.known(work.x) || !making.known(work.y)) return nullptr;
  const Operand &x = making.at(work.x), &y = making.at(work.y);
  if (x.type != DType::kFloat || y.type != DType::kFloat || x.size() == 0) return nullptr;
  if (x.shape != y.shape || x.layout != y.layout || !real_stages_fit(work.epilogue, work.y, making)) return nullptr;
  RealStages stages(work.epilogue);
  std::int64_t channels = 1;
  if (stages.differ_by_channel()) {
    // Channels stand side by side, or nothing stands behind them.
    const Shape shape = standing_shape(y);
    const std::size_t place = standing_axis(y.layout, shape.size(), static_cast<std::size_t>(*work.axis));
    channels = shape[place];
    if (element_count(std::span(shape).subspan(place + 1)) != 1) return nullptr;
  }
  return std::make_unique<RealElementsKernel>(work, making, std::move(stages), channels);
}

}  // namespace octet::fast
