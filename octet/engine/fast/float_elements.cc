// Work on the elements of floats.
#include <algorithm>

#include "octet/engine/fast/float_stages.h"
#include "octet/engine/fast/memory_order.h"
#include "octet/engine/fast/simd/simd.h"

namespace octet::fast {
namespace {

class FloatElementsKernel final : public Kernel {
 public:
  // Rows of channels, or all elements in a row of any length.
  FloatElementsKernel(const work::FloatElements& work, const KernelContext& context, FloatStages stages,
                      std::int64_t channels)
      : floats_(context.simd.floats),
        x_(work.x),
        y_(work.y),
        channels_(channels),
        rows_(context.at(work.y).size() / channels),
        stages_(std::move(stages)) {}

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const auto* x = reinterpret_cast<const float*>(places[x_]);
    auto* const y = reinterpret_cast<float*>(places[y_]);
    const FloatStages::Bound bound = stages_.bind(places);
    const bool in_a_row = !stages_.differ_by_channel();
    const std::int64_t width = in_a_row ? 1 : channels_;
    parallel.for_each_block(rows_ * channels_ / width, kGrain / width + 1, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t first = begin * width, count = end - begin;
      const FloatStages::Bound here = bound.from(first);
      floats_.elements(x + first, in_a_row ? 1 : count, in_a_row ? count : width, here.stages(), y + first);
    });
  }

  std::string describe() const override { return "float elements"; }

 private:
  const FloatProducts& floats_;
  const ValueId x_, y_;
  const std::int64_t channels_, rows_;
  const FloatStages stages_;
};

// The channels of a row, where they stand side by side or nothing stands behind them: 1 where all elements are alike.
std::optional<std::int64_t> row_channels(const work::FloatElements& work, const FloatStages& stages, const Operand& y) {
  if (!stages.differ_by_channel()) return 1;
  const Shape shape = memory_shape(y);
  const std::size_t place = memory_axis(y.layout, shape.size(), static_cast<std::size_t>(*work.axis));
  if (element_count(std::span(shape).subspan(place + 1)) != 1) return std::nullopt;
  return shape[place];
}

}  // namespace

bool fits(const work::FloatElements& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y)) return false;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  if (x.type != DType::kFloat || y.type != DType::kFloat || x.size() == 0) return false;
  if (x.shape != y.shape || x.layout != y.layout || !float_stages_fit(work.epilogue, work.y, context)) return false;
  return row_channels(work, FloatStages(work.epilogue), y).has_value();
}

KernelPtr make_kernel(const work::FloatElements& work, const KernelContext& context) {
  FloatStages stages(work.epilogue);
  const std::int64_t channels = *row_channels(work, stages, context.at(work.y));
  return std::make_unique<FloatElementsKernel>(work, context, std::move(stages), channels);
}

}  // namespace octet::fast
