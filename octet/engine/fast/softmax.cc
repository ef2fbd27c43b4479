// softmax.cc: softmax of bytes and of floats.
#include "octet/engine/fast/memory_order.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/spec/quantized/qlinear_softmax.h"
#include "octet/spec/softmax_axis.h"
#include "octet/spec/softmax_row.h"

namespace octet::fast {
namespace {

// What is normalized, as it stands.
Lanes memory_lanes(const Operand& x, std::int64_t axis, bool flattens) {
  const Shape shape = memory_shape(x);
  return softmax_lanes(shape, memory_axis(x.layout, shape.size(), static_cast<std::size_t>(axis)), flattens);
}

class SoftmaxKernel : public Kernel {
 public:
  SoftmaxKernel(const work::Softmax& work, const KernelContext& context)
      : x_(work.x),
        y_(work.y),
        is_signed_(context.at(work.x).type == DType::kInt8),
        lanes_(memory_lanes(context.at(work.x), work.axis, work.flattens)),
        softmax_(work.x_meaning.scale, work.y_meaning, context.at(work.x).type, lanes_.length, Arithmetic()) {}

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const std::uint8_t* x = bytes_at(places, x_);
    std::uint8_t* y = bytes_at(places, y_);
    parallel.for_each_block(lanes_.count, 1 + kGrain / 8 / lanes_.length, [&](std::int64_t begin, std::int64_t end) {
      const auto length = static_cast<std::size_t>(lanes_.length);
      const std::span row(reinterpret_cast<std::int32_t*>(scratch(length * sizeof(std::int32_t))), length);
      for (std::int64_t r = begin; r < end; ++r) {
        const std::int64_t first = lanes_.start(r);
        for (std::int64_t d = 0; d < lanes_.length; ++d) {
          const std::uint8_t byte = x[first + d * lanes_.step];
          row[static_cast<std::size_t>(d)] =
              is_signed_ ? static_cast<std::int8_t>(byte) : static_cast<std::int32_t>(byte);
        }
        softmax_(row, row);
        for (std::int64_t d = 0; d < lanes_.length; ++d)
          y[first + d * lanes_.step] = static_cast<std::uint8_t>(row[static_cast<std::size_t>(d)]);
      }
    });
  }
  std::string describe() const override { return "rows"; }

 private:
  const ValueId x_, y_;
  const bool is_signed_;
  const Lanes lanes_;
  const QLinearSoftmax softmax_;
};

class FloatSoftmaxKernel : public Kernel {
 public:
  FloatSoftmaxKernel(const work::FloatSoftmax& work, const KernelContext& context)
      : floats_(context.simd.floats),
        x_(work.x),
        y_(work.y),
        lanes_(memory_lanes(context.at(work.x), work.axis, work.flattens)) {}

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const auto* x = reinterpret_cast<const float*>(places[x_]);
    auto* y = reinterpret_cast<float*>(places[y_]);
    parallel.for_each_block(lanes_.count, 1 + kGrain / 8 / lanes_.length, [&](std::int64_t begin, std::int64_t end) {
      if (lanes_.step != 1) return softmax(lanes_, begin, end, x, y);
      for (std::int64_t r = begin; r < end; ++r)
        floats_.softmax(x + r * lanes_.length, lanes_.length, y + r * lanes_.length);
    });
  }
  std::string describe() const override { return "float rows"; }

 private:
  const FloatProducts& floats_;
  const ValueId x_, y_;
  const Lanes lanes_;
};

// Both stand alike, and what is flattened as declared.
template <typename Work>
bool stand_alike(const Work& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y)) return false;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  return x.type == y.type && x.layout == y.layout && (!work.flattens || x.layout == Layout::kAsDeclared);
}

}  // namespace

bool fits(const work::Softmax& work, const KernelContext& context) {
  if (!stand_alike(work, context) || !has_bytes(context.at(work.x))) return false;
  return true;
}

KernelPtr make_kernel(const work::Softmax& work, const KernelContext& context) {
  return std::make_unique<SoftmaxKernel>(work, context);
}

bool fits(const work::FloatSoftmax& work, const KernelContext& context) {
  if (!stand_alike(work, context) || context.at(work.x).type != DType::kFloat) return false;
  return true;
}

KernelPtr make_kernel(const work::FloatSoftmax& work, const KernelContext& context) {
  return std::make_unique<FloatSoftmaxKernel>(work, context);
}

}  // namespace octet::fast
