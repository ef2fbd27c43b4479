#include "octet/onnx/support/packing.h"

#include <algorithm>

#include "octet/base/fail.h"

namespace octet {

std::int64_t packed_size(DType dtype, std::int64_t count) {
  const int width = bits(dtype);
  if (width < 8) {
    const std::int64_t per_byte = 8 / width;
    return count / per_byte + (count % per_byte != 0 ? 1 : 0);
  }
  std::int64_t bytes;
  if (__builtin_mul_overflow(count, std::int64_t{width / 8}, &bytes))
    fail(ErrorCode::kLimit, "the size of {} elements of {} does not fit 63 bits", count, name(dtype));
  return bytes;
}

void unpack(std::span<const std::byte> packed, DType dtype, std::span<std::byte> elements) {
  const auto width = static_cast<unsigned>(bits(dtype));
  const unsigned per_byte = 8 / width;
  const auto sign = static_cast<std::uint8_t>(is_signed_integer(dtype) ? 1U << (width - 1) : 0U);
  const unsigned mask = (1U << width) - 1;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const unsigned shift = static_cast<unsigned>(i % per_byte) * width;
    const unsigned value = (std::to_integer<unsigned>(packed[i / per_byte]) >> shift) & mask;
    elements[i] = static_cast<std::byte>((value ^ sign) - sign);
  }
}

void pack(std::span<const std::byte> elements, DType dtype, std::span<std::byte> packed) {
  const auto width = static_cast<unsigned>(bits(dtype));
  const unsigned per_byte = 8 / width;
  const auto mask = static_cast<std::byte>((1U << width) - 1);
  std::ranges::fill(packed, std::byte{0});
  for (std::size_t i = 0; i < elements.size(); ++i)
    packed[i / per_byte] |= (elements[i] & mask) << (static_cast<unsigned>(i % per_byte) * width);
}

}  // namespace octet
