#include "octet/data/image.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "octet/base/fail.h"
#include "octet/data/support/decoders.h"

namespace octet {
namespace {

bool begins_with(const FileBytes& file, std::initializer_list<unsigned> magic) {
  return file.bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), file.bytes.begin(), [](unsigned wanted, std::byte found) {
           return std::byte{static_cast<unsigned char>(wanted)} == found;
         });
}

std::string small_ending(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

constexpr std::array kOtherImages = {".avif", ".bmp", ".gif", ".heic", ".heif", ".jfif", ".jp2",  ".jxl",
                                     ".pbm",  ".pgm", ".pnm", ".ppm",  ".tga",  ".tif",  ".tiff", ".webp"};

}  // namespace

bool is_image_name(const std::filesystem::path& path) {
  const std::string extension = small_ending(path);
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

std::string other_image_ending(const std::filesystem::path& path) {
  const std::string extension = small_ending(path);
  return std::ranges::find(kOtherImages, extension) == kOtherImages.end() ? "" : extension;
}

ImageSize size_of_image(const Tensor& image) { return {image.shape()[1], image.shape()[0]}; }

Tensor image_of_size(std::uint64_t width, std::uint64_t height, int channels) {
  if (width == 0 || height == 0) fail(ErrorCode::kFormat, "{} x {} pixels; wanted at least one", width, height);
  if (width > static_cast<std::uint64_t>(kMostPixels) / height)
    fail(ErrorCode::kLimit, "{} x {} pixels; the most is {}", width, height, kMostPixels);
  return Tensor::uninitialized(DType::kUint8,
                               {static_cast<std::int64_t>(height), static_cast<std::int64_t>(width), channels});
}

Tensor decode_image(const FileBytes& file) {
  if (begins_with(file, {0xff, 0xd8, 0xff})) return decode_jpeg(file);
  if (begins_with(file, {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'})) return decode_png(file);
  fail(ErrorCode::kFormat, "{}; wanted a JPEG or PNG file",
       file.bytes.empty() ? "it is empty" : "it begins like neither JPEG nor PNG");
}

}  // namespace octet
