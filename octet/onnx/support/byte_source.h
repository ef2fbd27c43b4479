// byte_source.h: bytes of a known number, in memory or in a file, read where they are needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "octet/onnx/support/file_descriptor.h"

namespace octet {

class ByteSource {
 public:
  explicit ByteSource(std::int64_t size) : size_(size) {}
  virtual ~ByteSource() = default;

  std::int64_t size() const { return size_; }
  // Some of the bytes from `offset` on, at least one, valid until the next call. `offset` lies before the end.
  virtual std::span<const std::byte> window(std::int64_t offset) = 0;
  // Copies out.size() bytes from `offset` on, all of which lie before the end. Throws kIo.
  virtual void read(std::int64_t offset, std::span<std::byte> out) = 0;

 private:
  std::int64_t size_;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes)
      : ByteSource(static_cast<std::int64_t>(bytes.size())), bytes_(bytes) {}

  std::span<const std::byte> window(std::int64_t offset) override;
  void read(std::int64_t offset, std::span<std::byte> out) override;

 private:
  std::span<const std::byte> bytes_;
};

class FileSource : public ByteSource {
 public:
  FileSource(FileDescriptor file, std::int64_t size);

  std::span<const std::byte> window(std::int64_t offset) override;
  void read(std::int64_t offset, std::span<std::byte> out) override;

 private:
  FileDescriptor file_;
  std::vector<std::byte> buffer_;
};

}  // namespace octet
