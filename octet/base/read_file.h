// read_file.h: a file's bytes, in memory that tensors can share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace octet {

struct FileBytes {
  std::span<const std::byte> bytes;    // begin at a 64-byte boundary
  std::shared_ptr<const void> memory;  // keeps them alive
};

// The whole file, or what a pipe delivers until it ends. Throws kIo when it is not there, is a directory or can't be
// read, and kLimit when it is longer than `limit`.
FileBytes read_file(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t{1} << 40);

}  // namespace octet
