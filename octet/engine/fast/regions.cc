#include "octet/engine/fast/regions.h"

#include <algorithm>
#include <functional>

namespace octet::fast {
namespace {

// Neighbours along an axis that see the same taps, [first_tap, behind_tap).
struct Segment {
  std::int64_t first = 0, count = 0, first_tap = 0, behind_tap = 0, padded = 0;
};

constexpr std::size_t kMostTaps = 1 << 16;  // of all regions together
constexpr std::size_t kMostKept = 1 << 14;  // pixels whose places are found once and for all

std::vector<Segment> segments(const Geometry& g, std::size_t d, std::int64_t pad_end) {
  const std::int64_t dilation = g.dilations[d];
  std::vector<Segment> found;
  for (std::int64_t o = 0; o < g.output[d] && found.size() <= kMostTaps; ++o) {
    const std::int64_t start = o * g.strides[d] - g.pads[d];
    const auto taps_before = [&](std::int64_t position) {  // of those, how many are in front of the position
      return position <= start ? 0 : std::min((position - start + dilation - 1) / dilation, g.kernel[d]);
    };
    const std::int64_t first = taps_before(0), behind = std::max(first, taps_before(g.input[d]));
    const std::int64_t padded = taps_before(g.input[d] + pad_end);
    if (found.empty() || found.back().first_tap != first || found.back().behind_tap != behind ||
        found.back().padded != padded)
      found.push_back({o, 0, first, behind, padded});
    ++found.back().count;
  }
  return found;
}

}  // namespace

Steps steps_of(const Axes& image, std::int64_t channels, Layout layout) {
  const std::int64_t pixels = image[0] * image[1] * image[2];
  const bool last = layout == Layout::kChannelsLast;
  const std::int64_t pixel = last ? channels : 1;
  return {{image[1] * image[2] * pixel, image[2] * pixel, pixel}, last ? 1 : pixels, pixels * channels};
}

std::optional<std::vector<Region>> regions_of(const Geometry& geometry, const Axes& pads_end, const Steps& x) {
  std::array<std::vector<Segment>, 3> axes;
  for (const std::size_t d : {0U, 1U, 2U}) axes[d] = segments(geometry, d, pads_end[d]);
  if (std::any_of(axes.begin(), axes.end(), [](const auto& axis) { return axis.size() > 256; })) return std::nullopt;
  std::vector<Region> regions;
  std::size_t taps = 0;
  for (const Segment& a : axes[0])
    for (const Segment& b : axes[1])
      for (const Segment& c : axes[2]) {
        Region region{.first = {a.first, b.first, c.first}, .count = {a.count, b.count, c.count}};
        region.padded = static_cast<double>(a.padded) * static_cast<double>(b.padded) * static_cast<double>(c.padded);
        for (std::int64_t i = a.first_tap; i < a.behind_tap; ++i)
          for (std::int64_t j = b.first_tap; j < b.behind_tap; ++j) {
            if ((taps += static_cast<std::size_t>(c.behind_tap - c.first_tap)) > kMostTaps) return std::nullopt;
            for (std::int64_t k = c.first_tap; k < c.behind_tap; ++k)
              region.taps.push_back({(i * geometry.kernel[1] + j) * geometry.kernel[2] + k,
                                     i * geometry.dilations[0] * x.pixels[0] + j * geometry.dilations[1] * x.pixels[1] +
                                         k * geometry.dilations[2] * x.pixels[2]});
          }
        regions.push_back(std::move(region));
      }
  return regions;
}

RegionWalk::RegionWalk(const Geometry& geometry, std::vector<Region> regions, const Steps& x, const Steps& y,
                       std::int64_t products)
    : geometry_(geometry), regions_(std::move(regions)), x_(x), y_(y) {
  // The largest one first: it reads all weights in a row, which brings them near for those that leave out some.
  std::ranges::stable_sort(regions_, std::greater(), &Region::pixels);
  // Worth some microseconds each, and in whole tiles.
  constexpr std::int64_t kWorthAPart = 200'000, kTile = 6;
  const std::int64_t tiles = kWorthAPart / (std::max<std::int64_t>(products, 1) * kTile) + 1;
  const std::int64_t most = std::min(kMostPixels, tiles * kTile);
  for (std::size_t r = 0; r < regions_.size(); ++r)
    for (std::int64_t first = 0; first < regions_[r].pixels(); first += most)
      parts_.push_back({r, first, std::min(most, regions_[r].pixels() - first)});
  std::size_t pixels = 0;
  for (RegionPart& part : parts_) {
    part.place = pixels;
    pixels += static_cast<std::size_t>(part.count);
  }
  if (pixels > kMostKept) return;
  x_kept_.resize(pixels);
  y_kept_.resize(pixels);
  for (const RegionPart& part : parts_) place_pixels(part, x_kept_.data() + part.place, y_kept_.data() + part.place);
}

void RegionWalk::place_pixels(const RegionPart& part, std::ptrdiff_t* x, std::ptrdiff_t* y) const {
  const Region& region = regions_[part.region];
  Axes at{part.first / (region.count[1] * region.count[2]), part.first / region.count[2] % region.count[1],
          part.first % region.count[2]};
  for (std::int64_t p = 0; p < part.count;) {  // row by row
    std::ptrdiff_t from = 0, to = 0;
    for (const std::size_t d : {0U, 1U, 2U}) {
      const std::int64_t pixel = region.first[d] + at[d];
      from += (pixel * geometry_.strides[d] - geometry_.pads[d]) * x_.pixels[d];
      to += pixel * y_.pixels[d];
    }
    const std::ptrdiff_t x_step = geometry_.strides[2] * x_.pixels[2], y_step = y_.pixels[2];
    const std::int64_t behind = std::min(p + region.count[2] - at[2], part.count);
    for (; p < behind; ++p, from += x_step, to += y_step) {
      x[p] = from;
      y[p] = to;
    }
    at[2] = 0;
    if (++at[1] == region.count[1]) {
      at[1] = 0;
      ++at[0];
    }
  }
}

FloatPixels RegionWalk::pixels_of(std::int64_t image, const RegionPart& part) const {
  const bool kept = !x_kept_.empty();
  if (kept && image == 0) return {x_kept_.data() + part.place, y_kept_.data() + part.place, part.count};
  auto* const x = reinterpret_cast<std::ptrdiff_t*>(scratch(2 * kMostPixels * sizeof(std::ptrdiff_t)));
  std::ptrdiff_t* const y = x + kMostPixels;
  if (!kept) place_pixels(part, x, y);
  const std::ptrdiff_t *x_first = kept ? x_kept_.data() + part.place : x,
                       *y_first = kept ? y_kept_.data() + part.place : y;
  for (std::int64_t p = 0; p < part.count; ++p) {
    x[p] = x_first[p] + image * x_.image;
    y[p] = y_first[p] + image * y_.image;
  }
  return {x, y, part.count};
}

}  // namespace octet::fast
