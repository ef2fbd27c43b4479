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

}  // namespace

std::int64_t taps_in_run(const Geometry& geometry) { return geometry.dilations[2] == 1 ? geometry.kernel[2] : 1; }

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
      columns_(extent(piece_columns, column_stride_, geometry.kernel[2], geometry.dilations[2])) {}

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
  for (std::size_t k = 0; k < all.size(); k += static_cast<std::size_t>(taps_in_run(geometry_)))
    found.push_back(all[k]);
  return found;
}

// Of `count` positions that start at `begin`, `step` apart, those in [0, size).
Strip::Range Strip::within(std::int64_t begin, std::int64_t step, std::int64_t count, std::int64_t size) {
  const auto places_before = [&](std::int64_t end) {
    return std::clamp<std::int64_t>(end <= begin ? 0 : (end - begin + step - 1) / step, 0, count);
  };
  return {places_before(0), places_before(size)};
}

Strip::View Strip::view_of(const Piece& piece) const {
  View view;
  view.row = piece.row * geometry_.strides[1] - geometry_.pads[1];
  view.column = piece.column * geometry_.strides[2] - geometry_.pads[2];
  view.rows = extent(piece.rows, row_stride_, geometry_.kernel[1], geometry_.dilations[1]);
  view.columns = extent(piece.columns, column_stride_, geometry_.kernel[2], geometry_.dilations[2]);
  view.inside_rows = within(view.row, row_keep_, view.rows, geometry_.input[1]);
  view.inside_columns = within(view.column, column_keep_, view.columns, geometry_.input[2]);
  return view;
}

// One call of fill.
class Strip::Filling {
 public:
  Filling(const Strip& strip, const Simd& simd, const StripSource& source, const Piece& piece, std::int64_t group)
      : strip_(strip),
        simd_(simd),
        geometry_(strip.geometry_),
        view_(strip.view_of(piece)),
        layout_(source.x.layout),
        is_signed_(source.x.type == DType::kInt8),
        shorts_(strip.form_.elements == StripForm::Elements::kShorts),
        flip_(strip.form_.offset(source.x.type) != 0 ? 0x80 : 0),
        zero_point_(source.zero_point),
        bytes_(reinterpret_cast<const std::uint8_t*>(source.bytes)),
        all_(geometry_.channels),
        first_(group * strip.channels_),
        image_(piece.image),
        row_bytes_(strip.columns_ * strip.channels_ * strip.size_) {}

  // What one depth of the image puts into a slab of the strip; nothing but padding where it is outside.
  void slab(std::int64_t depth, std::byte* to) const {
    const bool seen = depth >= 0 && depth < geometry_.input[0];
    const auto [top, bottom] = view_.inside_rows;
    for (std::int64_t r = 0; r < view_.rows; ++r)
      if (!seen || r < top || r >= bottom) pad(view_.columns, to + r * row_bytes_);
    if (!seen) return;
    if (shorts_ && layout_ == Layout::kChannelsLast) return widen_rows(depth, to);
    for (std::int64_t r = top; r < bottom; ++r) {
      std::byte* const target = to + r * row_bytes_;
      pad(view_.inside_columns.first, target);
      pad(view_.columns - view_.inside_columns.behind, target + view_.inside_columns.behind * pixel_bytes());
      if (layout_ == Layout::kAsDeclared)
        gather_planes(line(depth, r), target);
      else
        copy_pixels(line(depth, r), target);
    }
  }

 private:
  std::int64_t pixel_bytes() const { return strip_.channels_ * strip_.size_; }
  // The pixel of the image that the strip's row r and column 0 are of.
  std::int64_t line(std::int64_t depth, std::int64_t r) const {
    return (depth * geometry_.input[1] + view_.row + r * strip_.row_keep_) * geometry_.input[2] + view_.column;
  }

  void pad(std::int64_t pixels, std::byte* to) const {
    const auto padding = static_cast<std::uint8_t>(static_cast<std::uint8_t>(zero_point_) ^ flip_);
    std::memset(to, shorts_ ? 0 : padding, static_cast<std::size_t>(pixels * pixel_bytes()));
  }

  void copy(const std::uint8_t* from, std::int64_t count, std::byte* to) const {
    if (flip_ != 0) return simd_.products.flip(from, count, reinterpret_cast<std::uint8_t*>(to));
    std::memcpy(to, from, static_cast<std::size_t>(count));
  }

  // All rows inside at once, and the padding beside them.
  void widen_rows(std::int64_t depth, std::byte* to) const {
    const auto [top, bottom] = view_.inside_rows;
    const auto [inside, outside] = view_.inside_columns;
    const std::int64_t pixel = image_ * geometry_.input_pixels() + line(depth, top) + inside * strip_.column_keep_;
    simd_.products.widen({.x = bytes_ + pixel * all_ + first_,
                          .x_step = strip_.column_keep_ * all_,
                          .x_row_step = strip_.row_keep_ * geometry_.input[2] * all_,
                          .rows = bottom - top,
                          .pixels = outside - inside,
                          .channels = strip_.channels_,
                          .before = inside * strip_.channels_,
                          .behind = (view_.columns - outside) * strip_.channels_,
                          .y = reinterpret_cast<std::int16_t*>(to + top * row_bytes_),
                          .y_row_step = strip_.columns_ * strip_.channels_},
                         zero_point_, is_signed_);
  }

  // A row of an x with a plane for each channel.
  void gather_planes(std::int64_t pixel, std::byte* to) const {
    const std::int64_t channels = strip_.channels_;
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::uint8_t* plane = bytes_ + (image_ * all_ + first_ + c) * geometry_.input_pixels() + pixel;
      for (std::int64_t k = view_.inside_columns.first; k < view_.inside_columns.behind; ++k) {
        const std::uint8_t byte = plane[k * strip_.column_keep_];
        if (shorts_)
          reinterpret_cast<std::int16_t*>(to)[k * channels + c] =
              static_cast<std::int16_t>((is_signed_ ? static_cast<std::int8_t>(byte) : byte) - zero_point_);
        else
          to[k * channels + c] = static_cast<std::byte>(byte ^ flip_);
      }
    }
  }

  // A row of bytes that have their channels last.
  void copy_pixels(std::int64_t pixel, std::byte* to) const {
    const auto [inside, outside] = view_.inside_columns;
    const std::uint8_t* pixels = bytes_ + (image_ * geometry_.input_pixels() + pixel) * all_ + first_;
    if (strip_.column_keep_ == 1 && strip_.channels_ == all_)
      return copy(pixels + inside * all_, (outside - inside) * all_, to + inside * pixel_bytes());
    for (std::int64_t k = inside; k < outside; ++k)
      copy(pixels + k * strip_.column_keep_ * all_, strip_.channels_, to + k * pixel_bytes());
  }

  const Strip& strip_;
  const Simd& simd_;
  const Geometry& geometry_;
  const View view_;
  const Layout layout_;
  const bool is_signed_, shorts_;
  const std::uint8_t flip_;
  const std::int32_t zero_point_;
  const std::uint8_t* const bytes_;
  const std::int64_t all_, first_, image_;  // channels of x, the first one of the group
  const std::int64_t row_bytes_;
};

void Strip::fill(const Simd& simd, const StripSource& source, const Piece& piece, std::int64_t group,
                 std::byte* to) const {
  const Filling filling(*this, simd, source, piece, group);
  for (std::int64_t d = 0; d < geometry_.kernel[0]; ++d) {
    const std::int64_t depth = piece.depth * geometry_.strides[0] - geometry_.pads[0] + d * geometry_.dilations[0];
    filling.slab(depth, to + d * rows_ * columns_ * channels_ * size_);
  }
}

}  // namespace octet::fast
