#include "octet/engine/fast/sum_kernel.h"

#include <algorithm>
#include <cstring>

#include "octet/engine/fast/dynamic_quantization.h"
#include "octet/engine/fast/memory_order.h"

namespace octet::fast {
namespace {

// Accumulators of a piece: near the core until they are stored. Where neighbouring pieces see the same pixels, larger ones
// have fewer of those.
constexpr std::int64_t kPieceSums = 16'384, kPointwisePieceSums = 5'120;
// Elements of x of a piece whose accumulators are not stored: near the core while the weights pass by.
constexpr std::int64_t kPieceInputs = 12'288;

// The layout of x in the strip, the function that multiplies it, and the packed weights.
struct SumWeights {
  StripForm form;
  void (*multiply)(const Tile& tile, std::int64_t pixels, std::int64_t vectors) = nullptr;
  PackedWeights packed;

  std::int64_t bytes() const { return packed.memory(); }
};

// By the processor's dot products, or by a proof that those in int16 fit, or as pairs of int16.
SumWeights pack_for(const Products& products, const work::Sum& sum, PackingOrder order) {
  const DifferenceWeights weights = differences(sum);
  if (weights.fit_bytes && (products.quads || (products.safe_quads && order.group == 1))) {
    using Elements = StripForm::Elements;
    order.form.elements = products.quads_are_signed ? Elements::kSignedBytes : Elements::kBytes;
    if (products.quads) return {order.form, products.quads, packed(sum, weights, order, products.lanes)};
    if (std::optional<PackedWeights> safe = packed_safely(sum, weights, order, products.lanes))
      return {order.form, products.safe_quads, std::move(*safe)};
  }
  order.form.elements = StripForm::Elements::kShorts;
  return {order.form, products.pairs, packed(sum, weights, order, products.lanes)};
}

class SumKernel final : public Kernel {
 public:
  SumKernel(const SumTask& task, const KernelContext& context)
      : simd_(context.simd),
        x_(input_of(task, context)),
        y_(context.at(task.y)),
        input_(task.x_zero_point, task.sum.x_zero_point),
        quantizes_x_(task.quantizes_x),
        channels_(task.sum.channels / task.geometry.group),
        epilogue_(task.epilogue, context, task.sum.channels) {
    geometry_ = x_.layout == Layout::kChannelsLast ? flattened(task.geometry) : task.geometry;
    const std::int64_t lanes = simd_.products.lanes;
    requantizes_ = epilogue_.requantization().multipliers != nullptr && channels_ % lanes == 0;
    const std::int64_t sums = geometry_.is_pointwise() ? kPointwisePieceSums : kPieceSums;
    const std::int64_t near =
        requantizes_ ? kPieceInputs / geometry_.group_channels() : sums / std::max(channels_, lanes);
    const std::int64_t most = std::max(near, std::int64_t{12});
    pieces_ = pieces_of(geometry_, most, task.sum.products * task.sum.channels);
    const PackingOrder order = {.group = geometry_.group,
                                .group_channels = geometry_.group_channels(),
                                .taps = geometry_.taps(),
                                .taps_in_run = taps_in_run(geometry_)};
    weights_ = context.weights.get(task.sum.weights,
                                   {.name = "sum",
                                    .numbers = {order.group, order.group_channels, order.taps, order.taps_in_run},
                                    .zero_points = task.sum.w_zero_points,
                                    .bias = task.sum.bias},
                                   [&] { return pack_for(simd_.products, task.sum, order); });
    lay_strip();
  }

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const std::byte* x = places[x_.id];
    std::int32_t zero_point = input_.zero_point(x_.type, places);
    float scale = epilogue_.scale(places);
    if (quantizes_x_) {
      const auto* floats = reinterpret_cast<const float*>(x);
      const Quantization found = found_quantization(floats, x_.size(), simd_.elements, parallel);
      auto* bytes = reinterpret_cast<std::uint8_t*>(scratch(static_cast<std::size_t>(x_.size()), Use::kWhole));
      parallel.for_each_block(x_.size(), kGrain, [&](std::int64_t begin, std::int64_t end) {
        simd_.elements.quantize(floats + begin, end - begin, found, {0, 255}, bytes + begin);
      });
      x = reinterpret_cast<const std::byte*>(bytes);
      zero_point = found.zero_point;
      scale = found.scale;
    }
    parallel.for_each_block(static_cast<std::int64_t>(pieces_.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k)
        compute(pieces_[static_cast<std::size_t>(k)], x, zero_point, scale, places);
    });
  }

  std::string describe() const override {
    if (weights_->multiply == simd_.products.pairs) return "pairs of int16";
    return weights_->multiply == simd_.products.quads ? "dot products of bytes" : "bytes, safe in int16";
  }

 private:
  void lay_strip() {
    const StripForm form = weights_->form;
    strip_.emplace(geometry_, form, pieces_[0].rows, pieces_[0].columns);
    // x itself serves as the strip where its bytes are read as they are, and runs do not end within a unit.
    reads_x_ = form.elements != StripForm::Elements::kShorts && form.offset(x_.type) == 0 &&
               x_.layout == Layout::kChannelsLast && geometry_.is_pointwise() && geometry_.channels % 4 == 0;
    const std::vector<std::int32_t> runs = strip_->runs();
    for (const ChannelBlock& block : weights_->packed.blocks) {
      std::vector<std::int32_t>& of_block =
          runs_.emplace_back(block.units.empty() ? runs : std::vector<std::int32_t>());
      for (const UnitPlace& unit : block.units)
        of_block.push_back(runs[static_cast<std::size_t>(unit.run)] + unit.offset);
    }
  }

  void compute(const Piece& piece, const std::byte* x, std::int32_t zero_point, float scale,
               const ValuePointers& places) const {
    const std::int64_t pixels = piece.rows * piece.columns, width = weights_->packed.padded_channels;
    const auto strip_bytes = static_cast<std::size_t>(reads_x_ ? 0 : (strip_->bytes() + 63) / 64 * 64);
    std::byte* memory = scratch(strip_bytes + static_cast<std::size_t>((pixels + 1) * width) * sizeof(std::int32_t));
    auto* acc = reinterpret_cast<std::int32_t*>(memory + strip_bytes);
    std::int32_t* starts = acc + pixels * width;
    const PackedWeights& weights = weights_->packed;
    const StripForm form = weights_->form;
    for (std::int64_t g = 0; g < geometry_.group; ++g) {
      const auto first = static_cast<std::size_t>(g * width);
      const std::int32_t* start = weights.starts.data() + first;
      if (form.elements != StripForm::Elements::kShorts) {
        const auto offset = static_cast<std::uint32_t>(zero_point + form.offset(x_.type));
        for (std::int64_t c = 0; c < width; ++c)
          starts[c] = static_cast<std::int32_t>(
              static_cast<std::uint32_t>(start[c]) -
              offset * static_cast<std::uint32_t>(weights.sums[first + static_cast<std::size_t>(c)]));
        start = starts;
      }
      if (!reads_x_) strip_->fill(simd_, {x_, x, zero_point}, piece, g, memory);
      const std::int64_t element = first_element(piece, g), all = channels_ * geometry_.group;
      // Rows that follow one another without a gap, in the strip and in y, are one.
      const bool one_row =
          piece.columns == geometry_.output[2] && strip_->row_step() == piece.columns * strip_->pixel_step();
      const std::int64_t rows = one_row ? 1 : piece.rows, columns = pixels / rows;
      for (std::size_t b = 0; b < weights.blocks.size(); ++b) {
        const ChannelBlock& block = weights.blocks[b];
        const std::vector<std::int32_t>& runs = runs_[b];
        Tile tile{.x = reads_x_ ? x + piece.column * geometry_.channels : memory,
                  .pixel_step = strip_->pixel_step(),
                  .row_step = strip_->row_step(),
                  .rows = rows,
                  .runs = runs.data(),
                  .run_count = static_cast<std::int64_t>(runs.size()),
                  .run_units = weights.run_units,
                  .w = weights.bytes.data() + static_cast<std::size_t>(g) * weights.group_bytes + block.offset,
                  .start = start + block.first,
                  .acc = acc + block.first,
                  .acc_step = width,
                  .acc_row_step = columns * width};
        if (requantizes_) {
          tile.requantization = epilogue_.requantization();
          tile.requantization.multipliers += g * channels_ + block.first;
          tile.y = reinterpret_cast<std::uint8_t*>(places[y_.id]) + element + block.first;
          tile.y_step = all;
          tile.y_row_step = geometry_.output[2] * all;
        }
        weights_->multiply(tile, columns, block.vectors);
      }
      if (requantizes_)
        finish(piece, element, places);
      else
        store(piece, acc, g, scale, places);
    }
  }

  void store(const Piece& piece, const std::int32_t* acc, std::int64_t group, float scale,
             const ValuePointers& places) const {
    const std::int64_t all = channels_ * geometry_.group, width = weights_->packed.padded_channels;
    const std::int64_t columns = geometry_.output[2];
    // Rows of whole width follow one another.
    const bool whole = piece.columns == columns;
    const std::int64_t count = whole ? 1 : piece.rows, pixels = whole ? piece.rows * piece.columns : piece.columns;
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int64_t element = first_element(piece, group) + r * columns * all;
      epilogue_.apply({.sums = {acc + r * piece.columns * width, width, pixels, channels_},
                       .first_channel = group * channels_,
                       .element = element,
                       .y = places[y_.id] + element * static_cast<std::int64_t>(size_of(y_.type)),
                       .y_step = all},
                      scale, places);
    }
  }

  // What follows the bytes that tiles have stored: all channels of one group, or one group's.
  void finish(const Piece& piece, std::int64_t element, const ValuePointers& places) const {
    auto* const y = reinterpret_cast<std::uint8_t*>(places[y_.id]);
    const std::int64_t all = channels_ * geometry_.group, columns = geometry_.output[2];
    if (geometry_.group == 1 && piece.columns == columns)
      return epilogue_.apply_behind(y + element, piece.rows * columns * all, element, places);
    const std::int64_t count = geometry_.group == 1 ? piece.columns * all : channels_;
    const std::int64_t times = geometry_.group == 1 ? 1 : piece.columns;
    for (std::int64_t r = 0; r < piece.rows; ++r)
      for (std::int64_t k = 0; k < times; ++k) {
        const std::int64_t at = element + (r * columns + k) * all;
        epilogue_.apply_behind(y + at, count, at, places);
      }
  }

  std::int64_t first_element(const Piece& piece, std::int64_t group) const {
    const auto [depths, rows, columns] = geometry_.output;
    const std::int64_t row = (piece.image * depths + piece.depth) * rows + piece.row;
    return (row * columns + piece.column) * channels_ * geometry_.group + group * channels_;
  }

  const Simd& simd_;
  const Operand x_, y_;
  const InputZeroPoint input_;
  const bool quantizes_x_;
  const std::int64_t channels_;  // of a group
  bool requantizes_ = false;     // while sums are in registers: they become bytes, and channels fill vectors
  const Epilogue epilogue_;
  Geometry geometry_;
  bool reads_x_ = false;  // x itself serves as the strip
  std::vector<Piece> pieces_;
  std::optional<Strip> strip_;
  std::shared_ptr<const SumWeights> weights_;
  std::vector<std::vector<std::int32_t>> runs_;  // by each block of channels
};

}  // namespace

Operand input_of(const SumTask& task, const KernelContext& context) {
  Operand x = context.at(task.x);
  x.layout = task.x_layout;
  if (task.quantizes_x) x.type = DType::kUint8;
  return x;
}

std::int32_t InputZeroPoint::zero_point(DType type, const ValuePointers& places) const {
  if (value_ == kNoValue) return constant_;
  const std::byte byte = *places[value_];
  return type == DType::kInt8 ? static_cast<std::int8_t>(byte) : static_cast<std::uint8_t>(byte);
}

KernelPtr make_sum_kernel(const SumTask& task, const KernelContext& context) {
  return std::make_unique<SumKernel>(task, context);
}

}  // namespace octet::fast
