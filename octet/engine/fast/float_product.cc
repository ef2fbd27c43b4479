// Products of rows of floats and a constant matrix.
#include <algorithm>
#include <numeric>

#include "octet/engine/fast/float_stages.h"
#include "octet/engine/fast/float_weights.h"
#include "octet/engine/fast/simd/simd.h"
#include "octet/engine/fast/weight_store.h"

namespace octet::fast {
namespace {

class FloatProductKernel final : public Kernel {
 public:
  FloatProductKernel(const work::FloatProduct& work, const KernelContext& context, std::int64_t rows,
                     std::int64_t depth, std::int64_t channels)
      : floats_(context.simd.floats),
        x_(work.x),
        y_(work.y),
        rows_(rows),
        depth_(depth),
        channels_(channels),
        stages_(work.epilogue) {
    weights_ = context.weights.get(work.weights, {.name = "float product", .numbers = {work.w_transposed}}, [&] {
      const Tensor weights = work.w_transposed ? work.weights : work.weights.transposed();
      return packed_weights(weights.as<float>(), 1, channels, depth, floats_.lanes);
    });
    in_round_ = channels_in_round(depth, 1);
    for (std::int64_t k = 0; k < in_round_; ++k) taps_.push_back({k, k * weights_->width});
    // Few rows are divided among threads by channels.
    constexpr std::int64_t kWorthAPart = 200'000;
    blocks_ =
        std::clamp<std::int64_t>(kWorthAPart / (std::min(rows, kMostRows) * depth * weights_->width), 1, channels);
    parts_ = (channels + blocks_ * weights_->width - 1) / (blocks_ * weights_->width);
  }

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const auto* x = reinterpret_cast<const float*>(places[x_]);
    auto* const y = reinterpret_cast<float*>(places[y_]);
    const FloatStages::Bound bound = stages_.bind(places);
    const std::int64_t strips = (rows_ + kMostRows - 1) / kMostRows;
    parallel.for_each_block(strips * parts_, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const std::int64_t row = k / parts_ * kMostRows, rows = std::min(kMostRows, rows_ - row);
        const std::int64_t block = k % parts_ * blocks_, channel = block * weights_->width;
        std::ptrdiff_t from[kMostRows], to[kMostRows];
        for (std::int64_t r = 0; r < rows; ++r) {
          from[r] = (row + r) * depth_;
          to[r] = (row + r) * channels_;
        }
        floats_.sums({.x = x,
                      .taps = taps_,
                      .rounds = depth_ / in_round_,
                      .x_step = in_round_,
                      .w_step = in_round_ * weights_->width,
                      .w = weights_->values.data() + block * weights_->block_step,
                      .block_step = weights_->block_step,
                      .first = channel,
                      .channels = std::min(blocks_ * weights_->width, channels_ - channel),
                      .y = y,
                      .stages = bound.stages()},
                     {from, to, rows});
      }
    });
  }

  std::string describe() const override { return "float sums"; }

 private:
  static constexpr std::int64_t kMostRows = 48;

  const FloatProducts& floats_;
  const ValueId x_, y_;
  const std::int64_t rows_, depth_, channels_;
  const FloatStages stages_;
  std::shared_ptr<const FloatWeights> weights_;
  std::int64_t in_round_ = 1;
  std::vector<FloatTap> taps_;
  std::int64_t blocks_ = 1, parts_ = 1;  // blocks of channels in a part, and parts
};

}  // namespace

bool fits(const work::FloatProduct& work, const KernelContext& context) {
  if (!context.known(work.x) || !context.known(work.y)) return false;
  const Operand &x = context.at(work.x), &y = context.at(work.y);
  if (x.type != DType::kFloat || y.type != DType::kFloat || x.size() == 0 || y.size() == 0) return false;
  if (x.layout != Layout::kAsDeclared || y.layout != Layout::kAsDeclared) return false;
  if (!float_stages_fit(work.epilogue, work.y, context)) return false;
  const Shape& w = work.weights.shape();
  const std::int64_t depth = w[work.w_transposed ? 1 : 0], channels = w[work.w_transposed ? 0 : 1];
  return x.shape.back() == depth && y.size() / channels == x.size() / depth;
}

KernelPtr make_kernel(const work::FloatProduct& work, const KernelContext& context) {
  const Shape& w = work.weights.shape();
  const std::int64_t depth = w[work.w_transposed ? 1 : 0], channels = w[work.w_transposed ? 0 : 1];
  return std::make_unique<FloatProductKernel>(work, context, context.at(work.x).size() / depth, depth, channels);
}

}  // namespace octet::fast
