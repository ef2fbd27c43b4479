// parse.h: bytes into the format's messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>

namespace octet {

namespace format {
class ModelProto;
class TensorProto;
}  // namespace format

// The format holds no more bytes in one file.
inline constexpr std::int64_t kLargestFile = std::numeric_limits<std::int32_t>::max();

// Throw kIo, kFormat or kLimit (see wire_check.h). A file is streamed: each tensor's bytes go from a small buffer to
// their own memory, and the file is never in memory as a whole.
void parse_file(const std::filesystem::path& path, format::ModelProto& message);
void parse_file(const std::filesystem::path& path, format::TensorProto& message);
void parse_bytes(std::span<const std::byte> bytes, format::ModelProto& message);

}  // namespace octet
