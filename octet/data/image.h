// image.h: JPEG and PNG files as bytes.
//
// Bytes are those that libjpeg-turbo and libpng give with their defaults, as Pillow and OpenCV have them: JPEG by the
// slow integer transform with smooth upsampling of colours, PNG without gamma. Palettes become RGB, gray of 1, 2 and 4
// bits becomes 8, transparency is dropped. Orientation that EXIF tells is not applied: neither Pillow nor torchvision
// applies it, so networks are trained without.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "octet/base/tensor.h"
#include "octet/system/read_file.h"

namespace octet {

struct ImageSize {
  std::int64_t width, height;

  bool operator==(const ImageSize&) const = default;
};

inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;

// Whether the name ends in .jpg, .jpeg or .png, in whatever case.
bool is_image_name(const std::filesystem::path& path);
// The ending of an image of another kind, ".bmp", in small letters; empty for any other file.
std::string other_image_ending(const std::filesystem::path& path);

// uint8 [height, width, channels], of 1 channel (gray) or 3 (red, green, blue). The format is told by the first bytes,
// not the name. Throws kFormat for what is broken in any way that the decoders notice, kUnsupported for 16 bits
// per channel and CMYK, kLimit for more than kMostPixels or more than memory budgets leave.
Tensor decode_image(const FileBytes& file);

// The size of such a tensor.
ImageSize size_of_image(const Tensor& image);

}  // namespace octet
