// packing.h: types narrower than a byte, one element to a byte in memory and packed in files: the first element in the
// lowest bits of a byte, the unused bits of the last byte zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "octet/base/dtype.h"

namespace octet {

// The bytes that `count` elements take in a file. Throws kLimit when that does not fit int64.
std::int64_t packed_size(DType dtype, std::int64_t count);

// `elements` has one byte per element, `packed` has packed_size() bytes. Signed types are sign-extended.
void unpack(std::span<const std::byte> packed, DType dtype, std::span<std::byte> elements);
void pack(std::span<const std::byte> elements, DType dtype, std::span<std::byte> packed);

}  // namespace octet
