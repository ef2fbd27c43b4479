#include "octet/onnx/support/byte_source.h"

#include <algorithm>
#include <cstring>

#include "octet/base/fail.h"

namespace octet {
namespace {

constexpr std::int64_t kWindow = 1 << 13;

}  // namespace

std::span<const std::byte> MemorySource::window(std::int64_t offset) {
  return bytes_.subspan(static_cast<std::size_t>(offset));
}

void MemorySource::read(std::int64_t offset, std::span<std::byte> out) {
  if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
}

FileSource::FileSource(FileDescriptor file, std::int64_t size)
    : ByteSource(size), file_(std::move(file)), buffer_(static_cast<std::size_t>(std::min(size, kWindow))) {}

std::span<const std::byte> FileSource::window(std::int64_t offset) {
  const std::span<std::byte> out =
      std::span(buffer_).first(static_cast<std::size_t>(std::min(size() - offset, kWindow)));
  read(offset, out);
  return out;
}

void FileSource::read(std::int64_t offset, std::span<std::byte> out) {
  if (read_at(file_, offset, out) != out.size()) fail(ErrorCode::kIo, "became shorter while it was read");
}

}  // namespace octet
