// regions.h: the output pixels of a convolution or a pool, by what they see of the image.
//
// All pixels of a region use the same taps of the kernel, those inside the image. The other taps are padding and are not
// read. Most pixels are in one region, the middle.
#pragma once

#include <optional>
#include <vector>

#include "octet/engine/fast/geometry.h"
#include "octet/engine/fast/simd/float_products.h"

namespace octet::fast {

// Elements from a neighbour to the next: along depth, height and width, from channel to channel, and from image to image.
struct Steps {
  Axes pixels{};
  std::int64_t channel = 0, image = 0;
};
// The strides of an image with this many channels in this layout.
Steps steps_of(const Axes& image, std::int64_t channels, Layout layout);

struct Region {
  Axes first{}, count{};  // output pixels
  struct Tap {
    std::int64_t number = 0;    // in the kernel, row by row
    std::ptrdiff_t offset = 0;  // in x, from where the pixel has its first tap, inside or not
  };
  std::vector<Tap> taps;
  double padded = 1;  // taps inside the image or its padding

  std::int64_t pixels() const { return count[0] * count[1] * count[2]; }
};

// Requires an output of at least one pixel. `pads_end` is the end padding, for Region::padded. Returns nothing if there
// would be too many regions, as in hostile files only.
std::optional<std::vector<Region>> regions_of(const Geometry& geometry, const Axes& pads_end, const Steps& x);

// Work on some pixels of a region of one image.
struct RegionPart {
  std::size_t region = 0;
  std::int64_t first = 0, count = 0;  // of the region's pixels, row by row
  std::size_t place = 0;              // of the first one among those of all parts
};

// The regions of one geometry, cut into parts.
class RegionWalk {
 public:
  // `products` are what one pixel costs.
  RegionWalk(const Geometry& geometry, std::vector<Region> regions, const Steps& x, const Steps& y,
             std::int64_t products);

  // In the order of their sizes, the largest first.
  const std::vector<Region>& regions() const { return regions_; }

  // f(number of the region, pixels) until every pixel of every image was seen, in blocks that may run in parallel.
  template <typename F>
  void for_each(const Parallel& parallel, F f) const {
    const auto parts = static_cast<std::int64_t>(parts_.size());
    parallel.for_each_block(geometry_.images * parts, 1, [&](std::int64_t begin, std::int64_t end) {
      std::int64_t image = begin / parts;
      auto next = static_cast<std::size_t>(begin % parts);
      for (std::int64_t left = end - begin; left > 0;) {
        RegionPart part = parts_[next];
        // Neighbours are one, as long as they fit a thread's memory.
        for (++next, --left; left > 0 && next < parts_.size(); ++next, --left) {
          if (parts_[next].region != part.region || part.count + parts_[next].count > kMostPixels) break;
          part.count += parts_[next].count;
        }
        f(part.region, pixels_of(image, part));
        if (next < parts_.size()) continue;
        next = 0;
        ++image;
      }
    });
  }

 private:
  static constexpr std::int64_t kMostPixels = 96;  // their offsets, inputs and outputs stay near the core

  // Where pixels of the first image are.
  void place_pixels(const RegionPart& part, std::ptrdiff_t* x, std::ptrdiff_t* y) const;
  FloatPixels pixels_of(std::int64_t image, const RegionPart& part) const;

  Geometry geometry_;
  std::vector<Region> regions_;
  Steps x_, y_;
  std::vector<RegionPart> parts_;                // of one image
  std::vector<std::ptrdiff_t> x_kept_, y_kept_;  // where their pixels are; none where these are many
};

}  // namespace octet::fast
