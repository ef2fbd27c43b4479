#include "octet/engine/fast/strip.h"

#include <algorithm>
#include <cstring>

namespace octet::fast {
namespace {

// Units and vectors reach beyond the end of a run: behind the last one there is room for that.
constexpr std::int64_t kSlack = 64;
constexpr std::int64_t kManyChannels = 16;

std::int64_t extent(std::int64_t outputs, std::int64_t stride, std::int64_t kernel, std::int64_t dilation) {
  return (outputs - 1) * stride + (kernel - 1) * dilation + 1;
}

// Of `count` places from `begin` on, `step` apart, the first one in [0, size) and the first one behind.
struct Range {
  std::int64_t first = 0, behind = 0;
};
Range within(std::int64_t begin, std::int64_t step, std::int64_t count, std::int64_t size) {
  const auto places_before = [&](std::int64_t end) {
    return std::clamp<std::int64_t>(end <= begin ? 0 : (end - begin + step - 1) / step, 0, count);
  };
  return {places_before(0), places_before(size)};
}

}  // namespace

Strip::Strip(const Geometry& geometry, StripForm form, std::int64_t piece_rows, std::int64_t piece_columns)
    : geometry_(geometry),
      form_(form),
      size_(form.element_size()),
      channels_(geometry.group_channels()),
      row_keep_(geometry.kernel[1] == 1 ? geometry.strides[1] : 1),
      column_keep_(geometry.kernel[2] == 1 && channels_ >= kManyChannels ? geometry.strides[2] : 1),
      row_stride_(geometry.strides[1] / row_keep_),
      column_stride_(geometry.strides[2] / column_keep_),
      rows_(extent(piece_rows, row_stride_, geometry.kernel[1], geometry.dilations[1])),
      columns_(extent(piece_columns, column_stride_, geometry.kernel[2], geometry.dilations[2])),
      merges_(geometry.dilations[2] == 1) {}

std::int64_t Strip::bytes() const { return geometry_.kernel[0] * rows_ * columns_ * channels_ * size_ + kSlack; }

std::vector<std::int32_t> Strip::taps() const {
  std::vector<std::int32_t> found;
  for (std::int64_t d = 0; d < geometry_.kernel[0]; ++d)
    for (std::int64_t r = 0; r < geometry_.kernel[1]; ++r)
      for (std::int64_t c = 0; c < geometry_.kernel[2]; ++c)
        found.push_back(static_cast<std::int32_t>(
            ((d * rows_ + r * geometry_.dilations[1]) * columns_ + c * geometry_.dilations[2]) * channels_ * size_));
  return found;
}

std::vector<std::int32_t> Strip::runs() const {
  const std::vector<std::int32_t> all = taps();
  std::vector<std::int32_t> found;
  for (std::size_t k = 0; k < all.size(); k += static_cast<std::size_t>(taps_in_run())) found.push_back(all[k]);
  return found;
}

void Strip::fill(const Simd& simd, const Operand& x, const std::byte* from, std::int32_t zero_point, const Piece& piece,
                 std::int64_t group, std::byte* to) const {
  const bool is_signed = x.type == DType::kInt8, shorts = form_.elements == StripForm::Elements::kShorts;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(from);
  const std::uint8_t flip = form_.offset(x.type) != 0 ? 0x80 : 0;
  const auto padding = static_cast<std::uint8_t>(static_cast<std::uint8_t>(zero_point) ^ flip);
  const std::int64_t all = geometry_.channels, first = group * channels_;
  const auto copy = [&](const std::uint8_t* source, std::int64_t count, std::byte* target) {
    if (flip != 0) return simd.products.flip(source, count, reinterpret_cast<std::uint8_t*>(target));
    std::memcpy(target, source, static_cast<std::size_t>(count));
  };
  const auto pad = [&](std::int64_t pixels, std::byte* target) {
    std::memset(target, shorts ? 0 : padding, static_cast<std::size_t>(pixels * channels_ * size_));
  };
  // One column of the strip is column `begin + k * step` of the image, one row `row + r * row_keep_`.
  const std::int64_t step = column_keep_;
  const std::int64_t begin = piece.column * geometry_.strides[2] - geometry_.pads[2];
  const std::int64_t columns = extent(piece.columns, column_stride_, geometry_.kernel[2], geometry_.dilations[2]);
  const std::int64_t width = geometry_.input[2];
  const auto [inside, outside] = within(begin, step, columns, width);
  const std::int64_t row = piece.row * geometry_.strides[1] - geometry_.pads[1];
  const std::int64_t rows = extent(piece.rows, row_stride_, geometry_.kernel[1], geometry_.dilations[1]);
  const auto [top, bottom] = within(row, row_keep_, rows, geometry_.input[1]);
  const std::int64_t row_bytes = columns_ * channels_ * size_;
  for (std::int64_t d = 0; d < geometry_.kernel[0]; ++d) {
    const std::int64_t depth = piece.depth * geometry_.strides[0] - geometry_.pads[0] + d * geometry_.dilations[0];
    const bool seen = depth >= 0 && depth < geometry_.input[0];
    std::byte* const slab = to + d * rows_ * row_bytes;
    for (std::int64_t r = 0; r < rows; ++r)
      if (!seen || r < top || r >= bottom) pad(columns, slab + r * row_bytes);
    if (!seen) continue;
    const auto line = [&](std::int64_t r) {  // the pixel of the strip's row r and column 0
      return (depth * geometry_.input[1] + row + r * row_keep_) * width + begin;
    };
    const std::int64_t pixel = piece.image * geometry_.input_pixels() + line(top) + inside * step;
    if (shorts && x.layout == Layout::kChannelsLast) {
      simd.products.widen({.x = bytes + pixel * all + first,
                           .x_step = step * all,
                           .x_row_step = row_keep_ * width * all,
                           .rows = bottom - top,
                           .pixels = outside - inside,
                           .channels = channels_,
                           .before = inside * channels_,
                           .behind = (columns - outside) * channels_,
                           .y = reinterpret_cast<std::int16_t*>(slab + top * row_bytes),
                           .y_row_step = columns_ * channels_},
                          zero_point, is_signed);
      continue;
    }
    for (std::int64_t r = top; r < bottom; ++r) {
      std::byte* const target = slab + r * row_bytes;
      pad(inside, target);
      pad(columns - outside, target + outside * channels_ * size_);
      if (x.layout == Layout::kAsDeclared) {  // a plane for each channel
        for (std::int64_t c = 0; c < channels_; ++c) {
          const std::uint8_t* plane = bytes + (piece.image * all + first + c) * geometry_.input_pixels() + line(r);
          for (std::int64_t k = inside; k < outside; ++k) {
            const std::uint8_t byte = plane[k * step];
            if (shorts)
              reinterpret_cast<std::int16_t*>(target)[k * channels_ + c] =
                  static_cast<std::int16_t>((is_signed ? static_cast<std::int8_t>(byte) : byte) - zero_point);
            else
              target[k * channels_ + c] = static_cast<std::byte>(byte ^ flip);
          }
        }
        continue;
      }
      const std::uint8_t* pixels = bytes + (piece.image * geometry_.input_pixels() + line(r)) * all + first;
      if (step == 1 && channels_ == all) {
        copy(pixels + inside * all, (outside - inside) * channels_, target + inside * channels_ * size_);
        continue;
      }
      for (std::int64_t k = inside; k < outside; ++k)
        copy(pixels + k * step * all, channels_, target + k * channels_ * size_);
    }
  }
}

}  // namespace octet::fast
