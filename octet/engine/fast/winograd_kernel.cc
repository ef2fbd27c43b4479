// winograd_kernel.cc: 3x3 convolutions by simd/winograd.h.
#include <algorithm>
#include <cstdlib>

#include "octet/engine/fast/sum_kernel.h"

namespace octet::fast {
namespace {

std::int64_t tiles(std::int64_t outputs) { return (outputs + kWinogradOutputs - 1) / kWinogradOutputs; }

// The same convolution with whole tiles of output.
Geometry of_whole_tiles(Geometry geometry) {
  for (const std::size_t axis : {1, 2}) geometry.output[axis] = tiles(geometry.output[axis]) * kWinogradOutputs;
  return geometry;
}

// Rows of tiles, as many as keep what is transformed near the core.
std::vector<Piece> tile_rows(const Geometry& geometry, std::int64_t bytes_of_tile) {
  constexpr std::int64_t kNear = 96 * 1024;
  const std::int64_t across = tiles(geometry.output[2]), down = tiles(geometry.output[1]);
  const std::int64_t rows = std::clamp<std::int64_t>(kNear / (bytes_of_tile * across), 1, down);
  std::vector<Piece> pieces;
  for (std::int64_t n = 0; n < geometry.images; ++n)
    for (std::int64_t r = 0; r < down; r += rows)
      pieces.push_back({.image = n,
                        .row = r * kWinogradOutputs,
                        .rows = std::min(rows, down - r) * kWinogradOutputs,
                        .columns = across * kWinogradOutputs});
  return pieces;
}

// The weights of each position as those of a matrix product: [position][channels, padded input channels].
work::Sum transformed(const work::Sum& sum, const DifferenceWeights& weights, std::int64_t position,
                      std::int64_t inputs, std::int64_t padded, DifferenceWeights& result) {
  work::Sum product;
  product.channels = sum.channels;
  product.products = padded;
  result.values.assign(static_cast<std::size_t>(sum.channels * padded), 0);
  for (std::int64_t m = 0; m < sum.channels; ++m)
    for (std::int64_t c = 0; c < inputs; ++c) {
      std::int16_t all[kWinogradPositions];
      transform_weights(weights.values.data() + (m * inputs + c) * 9, all);
      result.values[static_cast<std::size_t>(m * padded + c)] = all[position];
    }
  return product;
}

class WinogradKernel final : public Kernel {
 public:
  WinogradKernel(const SumTask& task, const DifferenceWeights& weights, const Making& making)
      : simd_(making.simd),
        x_(making.at(task.x)),
        y_(making.at(task.y)),
        input_(task.x_zero_point, task.sum.x_zero_point),
        geometry_(task.geometry),
        channels_(task.sum.channels),
        epilogue_(task.epilogue, making, channels_) {
    const std::int64_t inputs = geometry_.channels;
    padded_inputs_ = (inputs + simd_.winograd.lanes - 1) / simd_.winograd.lanes * simd_.winograd.lanes;
    DifferenceWeights of_position;
    for (std::int64_t position = 0; position < kWinogradPositions; ++position) {
      const work::Sum sum = transformed(task.sum, weights, position, inputs, padded_inputs_, of_position);
      weights_.push_back(packed(sum, of_position, {.group_channels = padded_inputs_}, simd_.products.lanes));
    }
    const std::int64_t width = weights_[0].padded_channels;
    starts_.resize(static_cast<std::size_t>(width));
    for (std::int64_t m = 0; m < channels_ && !task.sum.bias.empty(); ++m)
      starts_[static_cast<std::size_t>(m)] = one_or(task.sum.bias, m);
    pieces_ = tile_rows(geometry_, kWinogradPositions * (padded_inputs_ * 2 + width * 4));
    strip_.emplace(of_whole_tiles(geometry_), StripForm{}, pieces_[0].rows, pieces_[0].columns);
  }

  void run(const Places& places, const Parallel& parallel) const override {
    const std::int32_t zero_point = input_.zero_point(x_.type, places);
    const float scale = epilogue_.scale(places);
    parallel.for_each_block(static_cast<std::int64_t>(pieces_.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k)
        compute(pieces_[static_cast<std::size_t>(k)], zero_point, scale, places);
    });
  }

  std::string describe() const override { return "Winograd F(4x4), pairs of int16"; }

 private:
  void compute(const Piece& piece, std::int32_t zero_point, float scale, const Places& places) const {
    const std::int64_t width = weights_[0].padded_channels, inputs = padded_inputs_;
    const std::int64_t across = piece.columns / kWinogradOutputs, down = piece.rows / kWinogradOutputs;
    const std::int64_t count = down * across;
    const auto aligned = [](std::int64_t bytes) { return (bytes + 63) / 64 * 64; };
    // The strip is not needed any more when the sums are stored.
    const std::int64_t strip_bytes = aligned(std::max(strip_->bytes(), piece.rows * piece.columns * width * 4));
    const std::int64_t v_bytes = aligned(kWinogradPositions * count * inputs * 2);
    std::byte* memory =
        scratch(static_cast<std::size_t>(strip_bytes + v_bytes + kWinogradPositions * count * width * 4));
    auto* v = reinterpret_cast<std::int16_t*>(memory + strip_bytes);
    auto* products = reinterpret_cast<std::int32_t*>(memory + strip_bytes + v_bytes);

    strip_->fill(simd_, x_, places[x_.id], zero_point, piece, 0, memory);
    const auto* strip = reinterpret_cast<const std::int16_t*>(memory);
    const std::int64_t row_step = strip_->row_step() / 2, pixel_step = strip_->pixel_step() / 2;
    for (std::int64_t r = 0; r < down; ++r)
      for (std::int64_t c = 0; c < across; ++c)
        simd_.winograd.input(strip + kWinogradOutputs * (r * row_step + c * pixel_step), row_step, pixel_step,
                             geometry_.channels, v + (r * across + c) * inputs, count * inputs);

    constexpr std::int32_t kNoOffset = 0;
    static constexpr std::int32_t kZeros[64] = {};
    for (std::int64_t position = 0; position < kWinogradPositions; ++position) {
      const PackedWeights& weights = weights_[static_cast<std::size_t>(position)];
      for (const ChannelBlock& block : weights.blocks)
        simd_.products.pairs({.x = reinterpret_cast<const std::byte*>(v + position * count * inputs),
                              .pixel_step = inputs * 2,
                              .runs = &kNoOffset,
                              .run_count = 1,
                              .run_units = weights.run_units,
                              .w = weights.bytes.data() + block.offset,
                              .start = kZeros,
                              .acc = products + position * count * width + block.first,
                              .acc_step = width},
                             count, block.vectors);
    }

    auto* acc = reinterpret_cast<std::int32_t*>(memory);
    for (std::int64_t r = 0; r < down; ++r)
      for (std::int64_t c = 0; c < across; ++c)
        simd_.winograd.output(products + (r * across + c) * width, count * width, starts_.data(), width,
                              acc + kWinogradOutputs * (r * piece.columns + c) * width, piece.columns * width, width);
    store(piece, acc, scale, places);
  }

  void store(const Piece& piece, const std::int32_t* acc, float scale, const Places& places) const {
    const std::int64_t width = weights_[0].padded_channels, columns = geometry_.output[2];
    const std::int64_t rows = std::min(piece.rows, geometry_.output[1] - piece.row);
    const bool whole = piece.columns == columns;
    const std::int64_t count = whole ? 1 : rows, pixels = whole ? rows * columns : columns;
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int64_t element = ((piece.image * geometry_.output[1] + piece.row + r) * columns) * channels_;
      epilogue_.apply({.sums = {acc + r * piece.columns * width, width, pixels, channels_},
                       .element = element,
                       .y = places[y_.id] + element * static_cast<std::int64_t>(size_of(y_.type)),
                       .y_step = channels_},
                      scale, places);
    }
  }

  const Simd& simd_;
  const Operand x_, y_;
  const InputZeroPoint input_;
  const Geometry geometry_;
  const std::int64_t channels_;
  const Epilogue epilogue_;
  std::int64_t padded_inputs_ = 0;
  std::vector<PackedWeights> weights_;  // of each position
  std::vector<std::int32_t> starts_;
  std::vector<Piece> pieces_;
  std::optional<Strip> strip_;
};

// |Sum (x - zero point) * w| of every channel, without the bias.
bool sums_are_small(const work::Sum& sum, const DifferenceWeights& weights) {
  for (std::int64_t m = 0; m < sum.channels; ++m) {
    std::int64_t reach = 0;
    for (std::int64_t k = m * sum.products; k < (m + 1) * sum.products; ++k)
      reach += 255 * std::abs(weights.values[static_cast<std::size_t>(k)]);
    if (reach >= kWinogradLimit) return false;
  }
  return true;
}

}  // namespace

KernelPtr make_winograd_kernel(const SumTask& task, const Making& making) {
  const Geometry& g = task.geometry;
  const Axes ones = {1, 1, 1}, kernel = {1, 3, 3};
  if (g.kernel != kernel || g.strides != ones || g.dilations != ones || g.group != 1 || g.output[0] != 1 ||
      g.input[0] != 1)
    return nullptr;
  // Dot products of bytes are as fast; few channels or outputs leave too much of a tile unused.
  constexpr std::int64_t kFewest = 8, kSmallest = 4;
  if (making.simd.products.quads || g.channels < kFewest || task.sum.channels < kFewest) return nullptr;
  if (g.output[1] < kSmallest || g.output[2] < kSmallest) return nullptr;
  const DifferenceWeights weights = differences(task.sum);
  if (!weights.fit_bytes || !sums_are_small(task.sum, weights)) return nullptr;
  return std::make_unique<WinogradKernel>(task, weights, making);
}

}  // namespace octet::fast
