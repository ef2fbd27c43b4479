// parse.h: bytes into the format's messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>

#include "octet/onnx/support/skeleton.h"

namespace octet {

namespace format {
class ModelProto;
class TensorProto;
}  // namespace format

// The format holds no more bytes in one file.
inline constexpr std::int64_t kLargestFile = std::numeric_limits<std::int32_t>::max();

// Fill `message` from a skeleton of the bytes (see skeleton.h), which is returned for its elements. Throw kIo, kFormat
// or kLimit.
Skeleton parse_file(const std::filesystem::path& path, format::ModelProto& message);
Skeleton parse_file(const std::filesystem::path& path, format::TensorProto& message);
Skeleton parse_bytes(std::span<const std::byte> bytes, format::ModelProto& message);

}  // namespace octet
