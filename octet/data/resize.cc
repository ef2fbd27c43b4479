#include "octet/data/resize.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "octet/base/fail.h"
#include "octet/base/memory_budget.h"

namespace octet {
namespace {

// The old pixels that a new one covers: all of those between the first and the last, and of these two a part.
struct Cover {
  std::int64_t first, count, whole, first_length, last_length;

  std::int64_t length(std::int64_t i) const { return i == 0 ? first_length : i == count - 1 ? last_length : whole; }
};

std::vector<Cover> covers(std::int64_t before, std::int64_t after) {
  std::vector<Cover> result;
  result.reserve(static_cast<std::size_t>(after));
  for (std::int64_t i = 0; i < after; ++i) {
    const std::int64_t begin = i * before, end = begin + before;
    const std::int64_t first = begin / after, last = (end - 1) / after;
    result.push_back({first, last - first + 1, after, std::min(end, (first + 1) * after) - begin, end - last * after});
  }
  return result;
}

// Sum over x of o(X, x) p(x, y) for every X of one old row.
void sum_row(const std::uint8_t* row, const std::vector<Cover>& columns, std::int64_t channels,
             std::vector<std::int64_t>& sums) {
  std::size_t to = 0;
  for (const Cover& cover : columns)
    for (std::int64_t c = 0; c < channels; ++c, ++to) {
      const std::uint8_t* from = row + cover.first * channels + c;
      std::int64_t sum = 0;
      for (std::int64_t x = 0; x < cover.count; ++x) sum += cover.length(x) * from[x * channels];
      sums[to] = sum;
    }
}

void require_pixels(ImageSize size) {
  if (size.width < 1 || size.height < 1 || size.width > kMostPixels / size.height)
    fail(ErrorCode::kLimit, "images of {} x {} pixels are asked for; the most is {}", size.width, size.height,
         kMostPixels);
}

}  // namespace

Tensor resized(const Tensor& image, ImageSize size) {
  require_pixels(size);
  const ImageSize before = size_of_image(image);
  if (before == size) return image;
  const std::int64_t channels = image.shape()[2], area = before.width * before.height;
  const MemoryCharge held(static_cast<std::size_t>(size.width + size.height) * sizeof(Cover) +
                          static_cast<std::size_t>(size.width * channels) * 2 * sizeof(std::int64_t));
  const std::vector<Cover> columns = covers(before.width, size.width), rows = covers(before.height, size.height);
  Tensor result = Tensor::uninitialized(DType::kUint8, {size.height, size.width, channels});
  std::uint8_t* to = result.mutable_as<std::uint8_t>().data();
  const std::uint8_t* from = image.as<std::uint8_t>().data();
  std::vector<std::int64_t> row(static_cast<std::size_t>(size.width * channels)), sums(row.size());
  std::int64_t summed = -1;  // the old row that `row` has
  for (const Cover& cover : rows) {
    std::fill(sums.begin(), sums.end(), area / 2);
    for (std::int64_t y = 0; y < cover.count; ++y) {
      if (summed != cover.first + y)
        sum_row(from + (cover.first + y) * before.width * channels, columns, channels, row);
      summed = cover.first + y;
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += cover.length(y) * row[i];
    }
    for (const std::int64_t sum : sums) *to++ = static_cast<std::uint8_t>(sum / area);
  }
  return result;
}

ImageSize with_shorter_side(ImageSize size, std::int64_t shorter) {
  const std::int64_t longer = std::max(size.width, size.height) * shorter / std::min(size.width, size.height);
  return size.width <= size.height ? ImageSize{shorter, longer} : ImageSize{longer, shorter};
}

Tensor center_crop(const Tensor& image, ImageSize size) {
  const ImageSize before = size_of_image(image);
  if (before.width < size.width || before.height < size.height)
    fail(ErrorCode::kUsage, "{} x {} pixels are to be cut out of {} x {}", size.width, size.height, before.width,
         before.height);
  const auto offset = [](std::int64_t over) { return over / 2 + over % 2 * (over / 2 % 2); };
  const std::int64_t channels = image.shape()[2], left = offset(before.width - size.width),
                     top = offset(before.height - size.height);
  Tensor result = Tensor::uninitialized(DType::kUint8, {size.height, size.width, channels});
  std::uint8_t* to = result.mutable_as<std::uint8_t>().data();
  const std::uint8_t* from = image.as<std::uint8_t>().data();
  const auto row = static_cast<std::size_t>(size.width * channels);
  for (std::int64_t y = 0; y < size.height; ++y, to += row)
    std::memcpy(to, from + ((top + y) * before.width + left) * channels, row);
  return result;
}

}  // namespace octet
