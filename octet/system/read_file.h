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

// The whole file, or what a pipe or a terminal delivers until it ends, at most a quarter of the machine's memory.
// Throws kIo when it is not there, can't be read, is a directory, a device or a pipe without a writer, and kLimit when
// it is longer than `limit`.
FileBytes read_file(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t{1} << 40);

// What an open file or pipe delivers until it ends. Throws kIo, and kLimit when there is more than `limit`.
FileBytes read_stream(int descriptor, std::uint64_t limit);

}  // namespace octet
