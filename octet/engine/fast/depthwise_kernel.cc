// depthwise_kernel.cc: convolutions with a group for each channel.
#include <algorithm>

#include "octet/engine/fast/sum_kernel.h"

namespace octet::fast {
namespace {

class DepthwiseKernel final : public Kernel {
 public:
  DepthwiseKernel(const SumTask& task, const Making& making)
      : simd_(making.simd),
        x_(input_of(task, making)),
        y_(making.at(task.y)),
        input_(task.x_zero_point, task.sum.x_zero_point),
        channels_(task.sum.channels),
        epilogue_(task.epilogue, making, task.sum.channels),
        geometry_(task.geometry),
        weights_(packed_depthwise(task.sum, differences(task.sum), simd_.products.depthwise_lanes)) {
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
    if (simd_.products.depthwise_rows && geometry_.kernel == kernel && geometry_.strides == ones &&
        geometry_.dilations == ones)
      row_pairs_ = packed_row_pairs(task.sum, differences(task.sum), simd_.products.depthwise_lanes);
  }

  void run(const Places& places, const Parallel& parallel) const override {
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

  void compute(const Piece& piece, std::int32_t zero_point, float scale, const Places& places) const {
    const auto strip_bytes = static_cast<std::size_t>((strip_->bytes() + 63) / 64 * 64);
    const std::int64_t width = weights_.padded_channels;
    std::byte* memory =
        scratch(strip_bytes + static_cast<std::size_t>(2 * piece.columns * width) * sizeof(std::int32_t));
    auto* acc = reinterpret_cast<std::int32_t*>(memory + strip_bytes);
    strip_->fill(simd_, x_, places[x_.id], zero_point, piece, 0, memory);
    const bool requantizes = epilogue_.requantization().multipliers != nullptr && width == channels_;
    const std::int64_t columns = geometry_.output[2], next_row = columns * channels_;
    const std::int64_t first = first_element(piece);
    Depthwise tile{.x = reinterpret_cast<const std::int16_t*>(memory),
                   .row_step = strip_->row_step() / 2,
                   .pixel_step = strip_->pixel_step() / 2,
                   .taps = taps_.data(),
                   .tap_count = static_cast<std::int64_t>(taps_.size()),
                   .start = weights_.starts.data(),
                   .acc = acc,
                   .acc_step = width,
                   .acc_row_step = piece.columns * width,
                   .channels = width,
                   .requantization = requantizes ? epilogue_.requantization() : Requantization{},
                   .y = reinterpret_cast<std::uint8_t*>(places[y_.id]) + first,
                   .y_step = channels_,
                   .y_row_step = next_row};
    for (std::int64_t r = 0, now; r < piece.rows; r += now) {
      now = row_pairs_.empty() || r + 1 == piece.rows ? 1 : 2;
      tile.w = now == 2 ? row_pairs_.data() : weights_.weights.data();
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
  const PackedDepthwise weights_;
  std::vector<std::int16_t> row_pairs_;  // of a 3x3 kernel that takes two rows at a time
  std::vector<Piece> pieces_;
  std::optional<Strip> strip_;
  std::vector<std::int32_t> taps_;
};

}  // namespace

KernelPtr make_depthwise_kernel(const SumTask& task, const Making& making) {
  return std::make_unique<DepthwiseKernel>(task, making);
}

}  // namespace octet::fast
