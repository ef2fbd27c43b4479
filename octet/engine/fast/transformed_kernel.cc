// transformed_kernel.cc: 3x3 convolutions by simd/transforms.h.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "octet/engine/fast/layouts.h"
#include "octet/engine/fast/sum_kernel.h"

namespace octet::fast {
namespace {

std::int64_t tiles(std::int64_t outputs, const Transform& transform) {
  return (outputs + transform.outputs - 1) / transform.outputs;
}

// Rows of tiles, as many as keep what is transformed near the core.
std::vector<Piece> tile_rows(const Geometry& geometry, const Transform& transform, std::int64_t bytes_of_tile) {
  constexpr std::int64_t kNear = 128 * 1024;
  const std::int64_t across = tiles(geometry.output[2], transform), down = tiles(geometry.output[1], transform);
  const std::int64_t rows = std::clamp<std::int64_t>(kNear / (bytes_of_tile * across), 1, down);
  std::vector<Piece> pieces;
  for (std::int64_t n = 0; n < geometry.images; ++n)
    for (std::int64_t r = 0; r < down; r += rows)
      pieces.push_back({.image = n,
                        .row = r * transform.outputs,
                        .rows = std::min(rows, down - r) * transform.outputs,
                        .columns = across * transform.outputs});
  return pieces;
}

// What |Sum (x - zero point) * w + bias| of a channel is at most.
std::int64_t reach(const SumTask& task, const DifferenceWeights& weights, DType x) {
  const IntegerRange range = integer_range(x);
  const bool known = task.x_zero_point == kNoValue;
  const std::int64_t low = known ? range.min - task.sum.x_zero_point : -255;
  const std::int64_t high = known ? range.max - task.sum.x_zero_point : 255;
  std::int64_t found = 0;
  for (std::int64_t m = 0; m < task.sum.channels; ++m) {
    const std::int64_t bias = task.sum.bias.empty() ? 0 : one_or(task.sum.bias, m);
    std::int64_t least = bias, most = bias;
    for (std::int64_t k = m * task.sum.products; k < (m + 1) * task.sum.products; ++k) {
      const std::int64_t weight = weights.values[static_cast<std::size_t>(k)];
      least += std::min(weight * low, weight * high);
      most += std::max(weight * low, weight * high);
    }
    found = std::max({found, -least, most});
  }
  return found;
}

// What the choice of a transform asks of the weights.
struct WeightLimits {
  std::int64_t largest = 0;  // |weight|
  std::int64_t reach = 0;    // |acc|

  static std::int64_t bytes() { return sizeof(WeightLimits); }
};

WeightLimits weight_limits(const SumTask& task, DType x) {
  const DifferenceWeights weights = differences(task.sum);
  const auto [least, greatest] = std::ranges::minmax(weights.values);
  return {std::max(-std::int64_t{least}, std::int64_t{greatest}), reach(task, weights, x)};
}

struct TransformedWeights {
  std::vector<std::byte> weights;  // of each position
  std::vector<std::int32_t> starts;
  std::int64_t width = 0;  // channels of y, padded

  std::int64_t bytes() const {
    return static_cast<std::int64_t>(weights.size() + starts.size() * sizeof(std::int32_t));
  }
};

// Each position is a matrix product of its own, by the weights of its elements. `padded` are the input channels.
TransformedWeights pack_transformed(const work::Sum& sum, const Transform& transform, std::int64_t padded,
                                    std::int64_t lanes) {
  const DifferenceWeights weights = differences(sum);
  const std::int64_t inputs = sum.products / 9, channels = sum.channels;
  TransformedWeights made;
  std::vector<std::int16_t> all(static_cast<std::size_t>(transform.elements * channels * inputs));
  for (std::int64_t k = 0; k < channels * inputs; ++k)
    transform.weights(weights.values.data() + k * 9, all.data() + k * transform.elements);
  std::int64_t first = 0;
  for (std::int64_t position = 0; position < transform.positions; ++position) {
    const std::int64_t elements = transform.in_position[position];
    work::Sum product;
    product.channels = channels;
    product.products = elements * padded;
    DifferenceWeights of_position;
    of_position.values.resize(static_cast<std::size_t>(channels * product.products));
    for (std::int64_t m = 0; m < channels; ++m)
      for (std::int64_t e = 0; e < elements; ++e)
        for (std::int64_t c = 0; c < inputs; ++c)
          of_position.values[static_cast<std::size_t>((m * elements + e) * padded + c)] =
              all[static_cast<std::size_t>((m * inputs + c) * transform.elements + first + e)];
    const PackedWeights ready = packed(product, of_position, {.group_channels = product.products}, lanes);
    made.weights.insert(made.weights.end(), ready.bytes.begin(), ready.bytes.end());
    made.width = ready.padded_channels;
    first += elements;
  }
  made.starts.resize(static_cast<std::size_t>(made.width));
  for (std::int64_t m = 0; m < channels && !sum.bias.empty(); ++m)
    made.starts[static_cast<std::size_t>(m)] = static_cast<std::int32_t>(
        static_cast<std::uint32_t>(one_or(sum.bias, m)) * static_cast<std::uint32_t>(transform.scale));
  return made;
}

class TransformedKernel final : public Kernel {
 public:
  // |acc| is `most` at most.
  TransformedKernel(const SumTask& task, const Transform& transform, std::int64_t most, const KernelContext& context)
      : simd_(context.simd),
        transform_(transform),
        output_bytes_(most < transform.small_limit ? transform.output_small_bytes : transform.output_bytes),
        x_(context.at(task.x)),
        y_(context.at(task.y)),
        input_(task.x_zero_point, task.sum.x_zero_point),
        geometry_(task.geometry),
        channels_(task.sum.channels),
        epilogue_(task.epilogue, context, channels_) {
    const std::int64_t to = simd_.transforms.padded_to;
    inputs_ = (geometry_.channels + to - 1) / to * to;
    weights_ = context.weights.get(
        task.sum.weights, {.name = transform.name, .zero_points = task.sum.w_zero_points, .bias = task.sum.bias},
        [&] { return pack_transformed(task.sum, transform_, inputs_, simd_.products.lanes); });
    width_ = weights_->width;
    scale_multipliers();
    pieces_ = tile_rows(geometry_, transform_, transform_.elements * inputs_ * 2 + transform_.positions * width_ * 4);
    constexpr std::int64_t kVeryNear = 16 * 1024;  // for lines, which are read as soon as they are written
    const std::int64_t of_one = transform_.line_bytes(2, inputs_) - transform_.line_bytes(1, inputs_);
    at_once_ = std::clamp<std::int64_t>(kVeryNear / of_one, 1, tiles(geometry_.output[2], transform_));
  }

  void run(const ValuePointers& places, const Parallel& parallel) const override {
    const std::int32_t zero_point = input_.zero_point(x_.type, places);
    const float scale = epilogue_.scale(places);
    const std::byte* x = places[x_.id];
    if (x_.layout == Layout::kAsDeclared) {
      std::byte* const turned = scratch(static_cast<std::size_t>(x_.size()), Use::kWhole);
      change_layout(simd_, x_, Layout::kAsDeclared, x, turned);
      x = turned;
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(x);
    parallel.for_each_block(static_cast<std::int64_t>(pieces_.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k)
        compute(pieces_[static_cast<std::size_t>(k)], bytes, zero_point, scale, places);
    });
  }

  std::string describe() const override { return std::string(transform_.name) + ", pairs of int16"; }

 private:
  // Those of acc * 2^shift, where sums become bytes and that is exact.
  void scale_multipliers() {
    const float* multipliers = epilogue_.requantization().multipliers;
    if (multipliers == nullptr) return;
    if (!std::all_of(multipliers, multipliers + channels_, [](float m) { return m >= 0x1p-100F; })) return;
    multipliers_.resize(static_cast<std::size_t>(width_));
    for (std::int64_t m = 0; m < channels_; ++m)
      multipliers_[static_cast<std::size_t>(m)] = std::ldexp(multipliers[m], -transform_.shift);
  }

  void compute(const Piece& piece, const std::uint8_t* x, std::int32_t zero_point, float scale,
               const ValuePointers& places) const {
    const std::int64_t across = piece.columns / transform_.outputs, down = piece.rows / transform_.outputs;
    const std::int64_t count = down * across;
    const std::int64_t elements = transform_.elements * inputs_, sums = transform_.positions * width_;
    const auto aligned = [](std::int64_t bytes) { return (bytes + 63) / 64 * 64; };
    const std::int64_t row_bytes = geometry_.input[2] * geometry_.channels;
    const std::int64_t padding_bytes = aligned(row_bytes), line_bytes = transform_.line_bytes(at_once_, inputs_);
    // Neither is needed any more when results are stored.
    const std::int64_t other_bytes =
        aligned(std::max(padding_bytes + line_bytes, piece.rows * piece.columns * width_ * 4));
    const std::int64_t v_bytes = aligned(count * elements * 2);
    std::byte* memory = scratch(static_cast<std::size_t>(other_bytes + v_bytes + count * sums * 4));
    auto* padding = reinterpret_cast<std::uint8_t*>(memory);
    auto* v = reinterpret_cast<std::int16_t*>(memory + other_bytes);
    auto* m = reinterpret_cast<std::int32_t*>(memory + other_bytes + v_bytes);

    std::memset(padding, zero_point, static_cast<std::size_t>(row_bytes));
    x += piece.image * geometry_.input[1] * row_bytes;
    for (std::int64_t r = 0; r < down; ++r) {
      const std::int64_t first_row = (piece.row + r * transform_.outputs) * transform_.stride - geometry_.pads[1];
      const std::uint8_t* rows[kMostInputs];
      for (std::int64_t k = 0; k < transform_.inputs; ++k) {
        const std::int64_t row = first_row + k;
        rows[k] = row >= 0 && row < geometry_.input[1] ? x + row * row_bytes : padding;
      }
      for (std::int64_t t = 0; t < across; t += at_once_)
        transform_.input({.rows = rows,
                          .columns = geometry_.input[2],
                          .channels = geometry_.channels,
                          .first = t * transform_.outputs * transform_.stride - geometry_.pads[2],
                          .zero_point = zero_point,
                          .is_signed = x_.type == DType::kInt8},
                         std::min(at_once_, across - t), reinterpret_cast<std::int16_t*>(memory + padding_bytes),
                         v + (r * across + t) * elements);
    }
    simd_.products.matrices({.x = reinterpret_cast<const std::byte*>(v),
                             .rows = count,
                             .positions = transform_.positions,
                             .elements = transform_.in_position,
                             .element_units = inputs_ / 2,
                             .row_step = elements * 2,
                             .w = weights_->weights.data(),
                             .vectors = width_ / simd_.products.lanes,
                             .start_position = transform_.start_position,
                             .start = weights_->starts.data(),
                             .acc = m});
    if (multipliers_.empty())
      store_sums(piece, m, reinterpret_cast<std::int32_t*>(memory), scale, places);
    else
      store_bytes(piece, m, reinterpret_cast<std::uint8_t*>(memory), places);
  }

  void store_sums(const Piece& piece, const std::int32_t* m, std::int32_t* acc, float scale,
                  const ValuePointers& places) const {
    const std::int64_t across = piece.columns / transform_.outputs, down = piece.rows / transform_.outputs;
    for (std::int64_t r = 0; r < down; ++r)
      transform_.output(m + r * across * transform_.positions * width_, width_, across,
                        acc + transform_.outputs * r * piece.columns * width_, piece.columns * width_, width_);
    const std::int64_t columns = geometry_.output[2];
    const std::int64_t rows = std::min(piece.rows, geometry_.output[1] - piece.row);
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t element = first_element(piece) + r * columns * channels_;
      epilogue_.apply({.sums = {acc + r * piece.columns * width_, width_, columns, channels_},
                       .element = element,
                       .y = places[y_.id] + element * static_cast<std::int64_t>(size_of(y_.type)),
                       .y_step = channels_},
                      scale, places);
    }
  }

  // Whole tiles of whole vectors of channels go straight to y.
  void store_bytes(const Piece& piece, const std::int32_t* m, std::uint8_t* tile, const ValuePointers& places) const {
    const std::int64_t columns = geometry_.output[2], outputs = transform_.outputs;
    const std::int64_t rows = std::min(piece.rows, geometry_.output[1] - piece.row);
    const Requantization requantization = {multipliers_.data(), epilogue_.requantization().zero_point,
                                           epilogue_.requantization().bounds};
    auto* const y = reinterpret_cast<std::uint8_t*>(places[y_.id]) + first_element(piece);
    const std::int64_t whole = width_ == channels_ ? columns / outputs : 0;  // tiles of a row of whole tiles
    for (std::int64_t r = 0; r < rows; r += outputs) {
      std::int64_t c = 0;
      const std::int64_t high = std::min(outputs, rows - r);
      if (high == outputs && whole > 0) {
        output_bytes_(m, width_, whole, requantization, y + r * columns * channels_, columns * channels_, channels_);
        m += whole * transform_.positions * width_;
        c = whole * outputs;
      }
      for (; c < columns; c += outputs, m += transform_.positions * width_) {
        output_bytes_(m, width_, 1, requantization, tile, outputs * width_, width_);
        const std::int64_t wide = std::min(outputs, columns - c);
        for (std::int64_t i = 0; i < high; ++i)
          for (std::int64_t j = 0; j < wide; ++j)
            std::memcpy(y + ((r + i) * columns + c + j) * channels_, tile + (i * outputs + j) * width_,
                        static_cast<std::size_t>(channels_));
      }
    }
    epilogue_.apply_behind(y, rows * columns * channels_, first_element(piece), places);
  }

  std::int64_t first_element(const Piece& piece) const {
    return (piece.image * geometry_.output[1] + piece.row) * geometry_.output[2] * channels_;
  }

  const Simd& simd_;
  const Transform& transform_;
  const Transform::OutputBytes output_bytes_;
  const Operand x_, y_;
  const InputZeroPoint input_;
  const Geometry geometry_;
  const std::int64_t channels_;
  const Epilogue epilogue_;
  std::int64_t inputs_ = 0, width_ = 0;  // channels of x and of y, padded
  std::shared_ptr<const TransformedWeights> weights_;
  std::vector<float> multipliers_;  // none where sums do not become bytes
  std::vector<Piece> pieces_;
  std::int64_t at_once_ = 0;  // tiles whose inputs are transformed together
};

}  // namespace

KernelPtr make_transformed_kernel(const SumTask& task, const KernelContext& context) {
  const Geometry& g = task.geometry;
  const Axes ones = {1, 1, 1}, kernel = {1, 3, 3};
  if (g.kernel != kernel || g.dilations != ones || g.group != 1 || g.output[0] != 1 || g.input[0] != 1 ||
      g.strides[0] != 1)
    return nullptr;
  // Dot products of bytes are as fast; few channels or outputs leave too much of a tile unused.
  constexpr std::int64_t kFewest = 8, kSmallest = 4;
  if (context.simd.products.quads || g.channels < kFewest || task.sum.channels < kFewest) return nullptr;
  if (g.output[1] < kSmallest || g.output[2] < kSmallest) return nullptr;
  const DType x = context.at(task.x).type;
  const bool known = task.x_zero_point == kNoValue;
  const auto limits = context.weights.get(task.sum.weights,
                                          {.name = "limits",
                                           .numbers = {static_cast<std::int64_t>(x), known, task.sum.x_zero_point},
                                           .zero_points = task.sum.w_zero_points,
                                           .bias = task.sum.bias},
                                          [&] { return weight_limits(task, x); });
  const Transforms& all = context.simd.transforms;
  const auto products = [&](const Transform& transform) {
    return tiles(g.output[1], transform) * tiles(g.output[2], transform) * transform.elements;
  };
  const Transform* chosen = nullptr;
  for (const Transform* transform : {&all.winograd4, &all.winograd2, &all.polyphase4, &all.polyphase2})
    if (g.strides[1] == transform->stride && g.strides[2] == transform->stride &&
        limits->largest <= transform->weight_limit && limits->reach < transform->limit &&
        (chosen == nullptr || products(*transform) < products(*chosen)))
      chosen = transform;
  return chosen == nullptr ? nullptr : std::make_unique<TransformedKernel>(task, *chosen, limits->reach, context);
}

}  // namespace octet::fast
