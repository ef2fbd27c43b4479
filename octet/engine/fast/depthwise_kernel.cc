// depthwise_kernel.cc: convolutions with a group for each channel.
#include <algorithm>

#include "octet/engine/fast/sum_kernel.h"

namespace octet::fast {
namespace {

struct DepthwiseWeights {
  PackedDepthwise all;
  std::vector<std::int16_t> row_pairs;  // of a 3x3 kernel that takes two rows at a time

  std::int64_t bytes() const {
    const std::size_t numbers = all.weights.size() + row_pairs.size();
    return static_cast<std::int64_t>(numbers * sizeof(std::int16_t) + all.starts.size() * sizeof(std::int32_t));
  }
};

DepthwiseWeights pack_depthwise(const work::Sum& sum, std::int64_t lanes, bool by_rows) {
  const DifferenceWeights weights = differences(sum);
  DepthwiseWeights made{packed_depthwise(sum, weights, lanes), {}};
  if (by_rows) made.row_pairs = packed_row_pairs(sum, weights, lanes);
  return made;
}

class DepthwiseKernel final : public Kernel {
 public:
  DepthwiseKernel(const SumTask& task, const KernelContext& context)
      : simd_(context.simd),
        x_(input_of(task, context)),
        y_(context.at(task.y)),
        input_(task.x_zero_point, task.sum.x_zero_point),
        channels_(task.sum.channels),
        epilogue_(task.epilogue, context, task.sum.channels),
        geometry_(task.geometry) {
    geometry_.group = 1;  // of the strip: all channels side by side
    const std::int64_t seen = channels_ * geometry_.strides[1] * geometry_.strides[2];  // elements of x for each pixel
    const std::int64_t most = std::max(kStripElements / seen, std::int64_t{64});
    pieces_ = pieces_of(geometry_, most, task.sum.products * channels_);
    if (pieces_.empty()) return;
    strip_.emplace(geometry_, StripForm{}, pieces_[0].rows, pieces_[0].columns);
    taps_ = strip_->taps();
    for (std::int32_t& tap : taps_) tap /= 2;
    if (taps_.size() % 2 != 0) taps_.push_back(taps_.back());
    const Axes ones = {1, 1, 1}, kernel = {1, 3, 3};
    const bool by_rows = simd_.products.depthwise_rows && geometry_.kernel == kernel && geometry_.strides == ones &&
                         geometry_.dilations == ones;
    weights_ = context.weights.get(
        task.sum.weights,
        {.name = "depthwise", .numbers = {by_rows}, .zero_points = task.sum.w_zero_points, .bias = task.sum.bias},
        [&] { return pack_depthwise(task.sum, simd_.products.depthwise_lanes, by_rows); });
  }

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const std::int32_t zero_point = input_.zero_point(x_.type, places);
    const float scale = epilogue_.scale(places);
    parallel.for_each_block(static_cast<std::int64_t>(pieces_.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k)
        compute(pieces_[static_cast<std::size_t>(k)], zero_point, scale, places);
    });
  }

  std::string describe() const override { return "depthwise, pairs of taps"; }

 private:
  static constexpr std::int64_t kStripElements = 65'536;  // near the core while they are read

  void compute(const Piece& piece, std::int32_t zero_point, float scale, const ValuePointers& places) const {
    const auto strip_bytes = static_cast<std::size_t>((strip_->bytes() + 63) / 64 * 64);
    const PackedDepthwise& weights = weights_->all;
    const std::int64_t width = weights.padded_channels;
    std::byte* memory =
        scratch(strip_bytes + static_cast<std::size_t>(2 * piece.columns * width) * sizeof(std::int32_t));
    auto* acc = reinterpret_cast<std::int32_t*>(memory + strip_bytes);
    strip_->fill(simd_, {x_, places[x_.id], zero_point}, piece, 0, memory);
    const bool requantizes = epilogue_.requantization().multipliers != nullptr && width == channels_;
    const std::int64_t columns = geometry_.output[2], next_row = columns * channels_;
    const std::int64_t first = first_element(piece);
    Depthwise tile{.x = reinterpret_cast<const std::int16_t*>(memory),
                   .row_step = strip_->row_step() / 2,
                   .pixel_step = strip_->pixel_step() / 2,
                   .taps = taps_.data(),
                   .tap_count = static_cast<std::int64_t>(taps_.size()),
                   .start = weights.starts.data(),
                   .acc = acc,
                   .acc_step = width,
                   .acc_row_step = piece.columns * width,
                   .channels = width,
                   .requantization = requantizes ? epilogue_.requantization() : Requantization{},
                   .y = reinterpret_cast<std::uint8_t*>(places[y_.id]) + first,
                   .y_step = channels_,
                   .y_row_step = next_row};
    for (std::int64_t r = 0, now; r < piece.rows; r += now) {
      now = weights_->row_pairs.empty() || r + 1 == piece.rows ? 1 : 2;
      tile.w = now == 2 ? weights_->row_pairs.data() : weights.weights.data();
      (now == 2 ? simd_.products.depthwise_rows : simd_.products.depthwise)(tile, piece.columns);
      tile.x += now * tile.row_step;
      tile.y += now * next_row;
      for (std::int64_t k = 0; k < now; ++k) {
        const std::int64_t element = first + (r + k) * next_row;
        std::byte* const y = places[y_.id] + element * static_cast<std::int64_t>(size_of(y_.type));
        if (requantizes)
          epilogue_.apply_behind(reinterpret_cast<std::uint8_t*>(y), piece.columns * channels_, element, places);
        else
          epilogue_.apply({.sums = {acc + k * tile.acc_row_step, width, piece.columns, channels_},
                           .element = element,
                           .y = y,
                           .y_step = channels_},
                          scale, places);
      }
    }
  }

  std::int64_t first_element(const Piece& piece) const {
    const auto [depths, rows, columns] = geometry_.output;
    const std::int64_t row = (piece.image * depths + piece.depth) * rows + piece.row;
    return (row * columns + piece.column) * channels_;
  }

  const Simd& simd_;
  const Operand x_, y_;
  const InputZeroPoint input_;
  const std::int64_t channels_;
  const Epilogue epilogue_;
  Geometry geometry_;
  std::shared_ptr<const DepthwiseWeights> weights_;
  std::vector<Piece> pieces_;
  std::optional<Strip> strip_;
  std::vector<std::int32_t> taps_;
};

}  // namespace

KernelPtr make_depthwise_kernel(const SumTask& task, const KernelContext& context) {
  return std::make_unique<DepthwiseKernel>(task, context);
}

}  // namespace octet::fast
