// image_form.h: how an image becomes a model's input: resized, cropped, with the channels that the input has, in its layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "octet/base/tensor.h"
#include "octet/data/image.h"
#include "octet/graph/model.h"

namespace octet {

struct ImageForm {
  std::optional<std::int64_t> shorter_side;  // first resized so that the shorter side has this length (resize.h),
  std::optional<ImageSize> size;             // or to this size
  std::optional<ImageSize> crop;             // then the middle is cut out
  std::optional<bool> bgr;                   // then blue comes before green and red; nothing: no

  bool asked_for() const { return shorter_side || size || crop || bgr.value_or(false); }
  bool operator==(const ImageForm&) const = default;
};

// From the words of options: "224" or "320x240", width before height; "rgb" or "bgr". Empty: as images are. Throws kUsage.
ImageForm image_form_named(const std::string& resize, const std::string& crop, std::string_view channel_order);

// An input of images: rank 4, of 1 or 3 channels, which are last where that dimension is 1 or 3 and the second is not.
struct ImageLayout {
  bool channels_last = false;
  std::int64_t channels = 3;
  std::optional<std::int64_t> width, height;  // where the model says them
};

// Whether the shape alone says that an input is one of images.
bool is_image_shaped(const Value& input);
bool is_channels_last(const Value& input);

// Throws kUsage for an input that is none of images.
ImageLayout image_layout(const Value& input);

// uint8 [channels, height, width] or [height, width, channels], as the layout says. Gray becomes three equal channels;
// RGB becomes gray as (19595 R + 38470 G + 7471 B + 32768) >> 16, ITU-R 601's luma as Pillow has it. Throws kUsage when
// the size is not what the model wants.
Tensor image_input(const Tensor& image, const ImageForm& form, const ImageLayout& layout);

}  // namespace octet
