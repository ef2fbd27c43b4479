#include "octet/data/image_form.h"

#include <charconv>

#include "octet/base/fail.h"
#include "octet/data/resize.h"

namespace octet {
namespace {

constexpr std::int64_t kLongestSide = 65536;

std::optional<std::int64_t> side_length(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > kLongestSide)
    return std::nullopt;
  return value;
}

// "224", or "320x240", width before height.
struct ImageSides {
  std::int64_t first;
  std::optional<std::int64_t> second;
};

ImageSides image_sides(const std::string& text, const char* option) {
  const std::size_t cross = text.find('x');
  const std::optional<std::int64_t> first = side_length(text.substr(0, cross));
  const std::optional<std::int64_t> second =
      cross == std::string::npos ? std::nullopt : side_length(text.substr(cross + 1));
  if (!first || (cross != std::string::npos && !second))
    fail(ErrorCode::kUsage, "{} {}: wanted a length such as 224 or a size such as 320x240, up to {}", option, text,
         kLongestSide);
  return {*first, second};
}

bool is_channel_count(const Dim& dim) { return dim.is(1) || dim.is(3); }

std::optional<std::int64_t> known_size(const Dim& dim) {
  return dim.known() ? std::optional(dim.value()) : std::nullopt;
}

Tensor to_gray(const Tensor& image) {
  const ImageSize size = size_of_image(image);
  Tensor gray = Tensor::uninitialized(DType::kUint8, {size.height, size.width, 1});
  const std::uint8_t* from = image.as<std::uint8_t>().data();
  for (std::uint8_t& pixel : gray.mutable_as<std::uint8_t>()) {
    pixel = static_cast<std::uint8_t>((19595U * from[0] + 38470U * from[1] + 7471U * from[2] + 32768U) >> 16);
    from += 3;
  }
  return gray;
}

// What was done to an image before its size was looked at.
std::string_view changes_text(const ImageForm& form) {
  const bool resized = form.shorter_side || form.size;
  if (form.crop) return resized ? " after --resize and --crop" : " after --crop";
  return resized ? " after --resize" : "";
}

void require_size(ImageSize found, const ImageForm& form, const ImageLayout& layout) {
  if (layout.width.value_or(found.width) == found.width && layout.height.value_or(found.height) == found.height) return;
  fail(ErrorCode::kUsage, "the image has {} x {} pixels{}, and the model wants {} x {}: resize or crop it", found.width,
       found.height, changes_text(form), layout.width ? std::to_string(*layout.width) : "any",
       layout.height ? std::to_string(*layout.height) : "any");
}

// Where channel c of an image stands in an input.
std::int64_t source_channel(std::int64_t c, std::int64_t channels, bool bgr) {
  if (channels == 1) return 0;
  return bgr ? 2 - c : c;
}

}  // namespace

ImageForm image_form_named(const std::string& resize, const std::string& crop, std::string_view channel_order) {
  if (!channel_order.empty() && channel_order != "rgb" && channel_order != "bgr")
    fail(ErrorCode::kUsage, "there is no channel order {}; wanted rgb or bgr", channel_order);
  ImageForm form;
  if (!channel_order.empty()) form.bgr = channel_order == "bgr";
  if (!resize.empty()) {
    const ImageSides sides = image_sides(resize, "--resize");
    if (sides.second)
      form.size = {sides.first, *sides.second};
    else
      form.shorter_side = sides.first;
  }
  if (!crop.empty()) {
    const ImageSides sides = image_sides(crop, "--crop");
    form.crop = {sides.first, sides.second.value_or(sides.first)};
  }
  return form;
}

bool is_image_shaped(const Value& input) {
  const auto& shape = input.type.shape;
  return shape && shape->size() == 4 && (is_channel_count((*shape)[1]) || is_channel_count((*shape)[3]));
}

bool is_channels_last(const Value& input) {
  const auto& shape = input.type.shape;
  return shape && shape->size() == 4 && is_channel_count((*shape)[3]) && !is_channel_count((*shape)[1]);
}

ImageLayout image_layout(const Value& input) {
  if (input.type.dtype != DType::kUint8 && input.type.dtype != DType::kFloat)
    fail(ErrorCode::kUsage, "input {} is {}; images become uint8 or float32", input.name, name(input.type.dtype));
  const auto& shape = input.type.shape;
  if (!shape) return {};
  const bool last = is_channels_last(input);
  if (shape->size() != 4 || (!last && (*shape)[1].known() && !is_channel_count((*shape)[1])))
    fail(ErrorCode::kUsage, "input {} is {}; images are [N,C,H,W] or [N,H,W,C] with 1 or 3 channels", input.name,
         to_string(*shape));
  const Dim &channels = (*shape)[last ? 3 : 1], &height = (*shape)[last ? 1 : 2], &width = (*shape)[last ? 2 : 3];
  return {last, known_size(channels).value_or(3), known_size(width), known_size(height)};
}

Tensor image_input(const Tensor& image, const ImageForm& form, const ImageLayout& layout) {
  Tensor found = image;
  if (form.shorter_side)
    found = resized(found, with_shorter_side(size_of_image(found), *form.shorter_side));
  else if (form.size)
    found = resized(found, *form.size);
  if (form.crop) found = center_crop(found, *form.crop);
  require_size(size_of_image(found), form, layout);
  if (layout.channels == 1 && found.shape()[2] == 3) found = to_gray(found);

  const auto [width, height] = size_of_image(found);
  const std::int64_t channels = layout.channels, pixels = width * height, had = found.shape()[2];
  Tensor result = Tensor::uninitialized(
      DType::kUint8, layout.channels_last ? Shape{height, width, channels} : Shape{channels, height, width});
  const std::uint8_t* from = found.as<std::uint8_t>().data();
  std::uint8_t* to = result.mutable_as<std::uint8_t>().data();
  const std::int64_t next_pixel = layout.channels_last ? channels : 1, next_channel = layout.channels_last ? 1 : pixels;
  for (std::int64_t c = 0; c < channels; ++c) {
    const std::int64_t source = source_channel(c, had, form.bgr.value_or(false));
    for (std::int64_t i = 0; i < pixels; ++i) to[c * next_channel + i * next_pixel] = from[i * had + source];
  }
  return result;
}

}  // namespace octet
