// resize.h: images of another size, in integers: the same bytes on every machine.
//
// Each new pixel is the mean of what it covers. With w x h pixels before and W x H after, pixel X of a row covers
// [X w, (X + 1) w) where old pixel x covers [x W, (x + 1) W); o(X, x) is the length that both cover, and likewise for rows:
//
//   q(X, Y) = floor((Sum_x Sum_y o(X, x) o(Y, y) p(x, y) + floor(w h / 2)) / (w h))
//
// The sums are exact, and there is one rounding: to nearest, ties up. Made smaller, an image is averaged over all of its
// pixels (antialiased); made larger, pixels become rectangles, mixed where they meet inside a new pixel.
#pragma once

#include <cstdint>
#include <optional>

#include "octet/base/tensor.h"
#include "octet/data/image.h"

namespace octet {

// Images are uint8 [height, width, channels]. Sizes are at least 1; throws kLimit for more than kMostPixels.
Tensor resized(const Tensor& image, ImageSize size);

// The size with `shorter` as its shorter side: the longer one is floor(longer * shorter / its shorter).
ImageSize with_shorter_side(ImageSize size, std::int64_t shorter);

// The middle of an image. What is left over is halved, an odd pixel going to the side that makes the left and upper part
// even, as torchvision's CenterCrop has it. Throws kUsage when the image is smaller.
Tensor center_crop(const Tensor& image, ImageSize size);

}  // namespace octet
