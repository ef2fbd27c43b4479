// Work on the elements of floats.
#include <algorithm>

#include "octet/engine/fast/float_stages.h"
#include "octet/engine/fast/memory_order.h"
#include "octet/engine/fast/simd/simd.h"

namespace octet::fast {
namespace {

// How the elements stand: planes of so many of one channel, channel by channel. All alike: one channel in one plane.
struct ElementPlanes {
  std::int64_t channels = 1, elements = 1;
};

class FloatElementsKernel final : public Kernel {
 public:
  FloatElementsKernel(const work::FloatElements& work, const KernelContext& context, FloatStages stages,
                      ElementPlanes planes)
      : floats_(context.simd.floats),
        x_(work.x),
        y_(work.y),
        planes_(planes),
        size_(context.at(work.y).size()),
        stages_(std::move(stages)) {}

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const auto* x = reinterpret_cast<const float*>(places[x_]);
    auto* const y = reinterpret_cast<float*>(places[y_]);
    const FloatStages::Bound bound = stages_.bind(places);
    const std::int64_t width = planes_.channels;
    if (planes_.elements > 1) return run_planes(x, y, bound, parallel);
    parallel.for_each_block(size_ / width, kGrain / width + 1, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t first = begin * width, count = end - begin;
      const FloatStages::Bound here = bound.from(first);
      floats_.elements(x + first, width == 1 ? 1 : count, width == 1 ? count : width, here.stages(), y + first);
    });
  }

  std::string describe() const override { return "float elements"; }

 private:
  void run_planes(const float* x, float* y, const FloatStages::Bound& bound, const Parallel& parallel) const {
    const std::int64_t length = planes_.elements;
    parallel.for_each_block(size_ / length, kGrain / length + 1, [&](std::int64_t begin, std::int64_t end) {
      FloatStages::Bound here = bound;
      for (std::int64_t plane = begin; plane < end; ++plane) {
        here.move_to(bound, plane * length, plane % planes_.channels);
        floats_.elements(x + plane * length, 1, length, here.stages(), y + plane * length);
      }
    });
  }

  const FloatProducts& floats_;
  const ValueId x_, y_;
  const ElementPlanes planes_;
  const std::int64_t size_;
  const FloatStages stages_;
};

// Nothing where planes are so short that another layout is better.
std::optional<ElementPlanes> planes_of(const work::FloatElements& work, const FloatStages& stages, const Operand& y) {
  constexpr std::int64_t kShortest = 16;
  if (!stages.differ_by_channel()) return ElementPlanes();
  const Shape shape = memory_shape(y);
  const std::size_t place = memory_axis(y.layout, shape.size(), static_cast<std::size_t>(*work.axis));
  const std::int64_t elements = element_count(std::span(shape).subspan(place + 1));
  if (elements != 1 && elements < kShortest) return std::nullopt;
  return ElementPlanes{shape[place], elements};
}

}  // namespace

bool fits(const work::FloatElements& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y)) return false;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  if (x.type != DType::kFloat || y.type != DType::kFloat || x.size() == 0) return false;
  if (x.shape != y.shape || x.layout != y.layout || !float_stages_fit(work.epilogue, work.y, context)) return false;
  return planes_of(work, FloatStages(work.epilogue), y).has_value();
}

KernelPtr make_kernel(const work::FloatElements& work, const KernelContext& context) {
  FloatStages stages(work.epilogue);
  const ElementPlanes planes = *planes_of(work, stages, context.at(work.y));
  return std::make_unique<FloatElementsKernel>(work, context, std::move(stages), planes);
}

}  // namespace octet::fast
