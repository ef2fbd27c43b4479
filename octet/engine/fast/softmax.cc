#include "octet/engine/fast/standing.h"
#include "octet/spec/quantized/qlinear_softmax.h"

namespace octet::fast {
namespace {

class SoftmaxKernel : public Kernel {
 public:
  SoftmaxKernel(const work::Softmax& work, const Making& making)
      : x_(work.x), y_(work.y), is_signed_(making.at(work.x).type == DType::kInt8) {
    const Operand& x = making.at(work.x);
    const Shape shape = standing_shape(x);
    const auto axis =
        static_cast<std::ptrdiff_t>(standing_axis(x.layout, shape.size(), static_cast<std::size_t>(work.axis)));
    const auto behind = work.flattens ? shape.end() : shape.begin() + axis + 1;
    length_ = element_count(std::span(shape.begin() + axis, behind));
    step_ = element_count(std::span(behind, shape.end()));
    rows_ = length_ == 0 ? 0 : x.size() / length_;
    softmax_.emplace(work.x_meaning.scale, work.y_meaning, x.type, length_, Arithmetic());
  }

  void run(const Places& places, const Parallel& parallel) const override {
    const std::uint8_t* x = bytes_at(places, x_);
    std::uint8_t* y = bytes_at(places, y_);
    parallel.for_each_block(rows_, 1 + kGrain / 8 / length_, [&](std::int64_t begin, std::int64_t end) {
      const auto length = static_cast<std::size_t>(length_);
      const std::span row(reinterpret_cast<std::int32_t*>(scratch(length * sizeof(std::int32_t))), length);
      for (std::int64_t r = begin; r < end; ++r) {
        const std::int64_t first = r / step_ * length_ * step_ + r % step_;
        for (std::int64_t d = 0; d < length_; ++d) {
          const std::uint8_t byte = x[first + d * step_];
          row[static_cast<std::size_t>(d)] =
              is_signed_ ? static_cast<std::int8_t>(byte) : static_cast<std::int32_t>(byte);
        }
        (*softmax_)(row, row);
        for (std::int64_t d = 0; d < length_; ++d)
          y[first + d * step_] = static_cast<std::uint8_t>(row[static_cast<std::size_t>(d)]);
      }
    });
  }
  std::string describe() const override { return "rows"; }

 private:
  ValueId x_, y_;
  bool is_signed_;
  std::int64_t rows_ = 0, length_ = 0, step_ = 0;  // elements of a row are `step_` apart
  std::optional<QLinearSoftmax> softmax_;
};

}  // namespace

KernelPtr make_kernel(const work::Softmax& work, const Making& making) {
  if (!making.known(work.x) || !making.known(work.y)) return nullptr;
  const Operand &x = making.at(work.x), &y = making.at(work.y);
  if (!has_bytes(x) || x.type != y.type || x.layout != y.layout) return nullptr;
  if (work.flattens && x.layout != Layout::kAsDeclared) return nullptr;
  return std::make_unique<SoftmaxKernel>(work, making);
}

}  // namespace octet::fast
