// file_descriptor.h: POSIX files that close themselves and report errors as octet::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

namespace octet {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();

  int get() const { return fd_; }

 private:
  int fd_;
};

// Opens a regular file for reading and returns it with its size. Throws kIo, without the path, for anything else.
std::pair<FileDescriptor, std::int64_t> open_regular(const std::filesystem::path& path);

// Reads up to out.size() bytes at `offset`, fewer only at the end of the file. Throws kIo.
std::size_t read_at(const FileDescriptor& file, std::int64_t offset, std::span<std::byte> out);

// Why the last system call failed.
std::string system_reason();

}  // namespace octet
