#include <algorithm>

#include "octet/base/fail.h"
#include "octet/data/image_form.h"
#include "octet/data/support/chunk.h"
#include "octet/system/read_file.h"

namespace octet {
namespace {

constexpr std::int64_t kImageBytes = kCifarRecord - 1, kPlane = kImageBytes / 3;

bool cifar_channels_last(const Value& input) {
  if (is_channels_last(input)) return true;
  const auto& shape = input.type.shape;
  if (shape && (shape->size() != 4 || surely_different((*shape)[1], 3)))
    fail(ErrorCode::kUsage, "input {} is {}; CIFAR-10 images are [N,3,32,32] or [N,32,32,3]", input.name,
         to_string(*shape));
  return false;
}

FileBytes cifar_file(const std::filesystem::path& path) {
  FileBytes file = read_file(path);
  const auto size = static_cast<std::int64_t>(file.bytes.size());
  if (size == 0 || size % kCifarRecord != 0)
    fail(ErrorCode::kFormat, "{} has {} bytes; CIFAR-10's binary format has {} for each image", path.string(), size,
         kCifarRecord);
  return file;
}

}  // namespace

Outline outline_cifar(const std::filesystem::path& path) {
  const FileBytes file = cifar_file(path);
  Outline outline{.samples = static_cast<std::int64_t>(file.bytes.size()) / kCifarRecord, .labels = {}};
  for (std::int64_t i = 0; i < outline.samples; ++i)
    outline.labels.push_back(std::to_integer<std::int64_t>(file.bytes[static_cast<std::size_t>(i * kCifarRecord)]));
  return outline;
}

Chunk read_cifar(const std::filesystem::path& path, const Value& input) {
  const FileBytes file = cifar_file(path);
  const auto size = static_cast<std::int64_t>(file.bytes.size());
  const bool last = cifar_channels_last(input);
  image_layout(input);

  Chunk result;
  result.samples = size / kCifarRecord;
  Tensor images =
      Tensor::uninitialized(DType::kUint8, last ? Shape{result.samples, 32, 32, 3} : Shape{result.samples, 3, 32, 32});
  const auto* record = reinterpret_cast<const std::uint8_t*>(file.bytes.data());
  std::uint8_t* to = images.mutable_as<std::uint8_t>().data();
  for (std::int64_t i = 0; i < result.samples; ++i, record += kCifarRecord, to += kImageBytes) {
    result.labels.push_back(record[0]);
    const std::uint8_t* image = record + 1;
    if (!last)
      std::copy_n(image, kImageBytes, to);
    else
      for (std::int64_t k = 0; k < kImageBytes; ++k) to[k % kPlane * 3 + k / kPlane] = image[k];
  }
  result.arrays[input.name] = std::move(images);
  return result;
}

}  // namespace octet
