#include "octet/onnx/support/external_data.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "octet/base/fail.h"
#include "octet/base/memory.h"
#include "octet/onnx/support/file_descriptor.h"

namespace octet {
namespace {

// Tensors may share bytes (tied weights), but a model whose tensors all point at the same megabytes may not fill memory:
// together they may read this much more than the files hold.
constexpr std::int64_t kSharingFactor = 4;
constexpr std::int64_t kSharingSlack = std::int64_t{64} << 20;
constexpr std::int64_t kMostStored = std::int64_t{1} << 60;  // sums stay below 64 bits

std::int64_t parse_number(const std::string& text, std::string_view key, std::int64_t otherwise) {
  if (text.empty()) return otherwise;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    fail(ErrorCode::kFormat, "external data has {} \"{}\", wanted a number of bytes", key, text);
  return value;
}

// Opens `location` below `folder`, one component at a time, so that no symbolic link can lead out of the folder, not
// even one made while we look.
FileDescriptor open_below(const std::filesystem::path& folder, const std::string& location) {
  const std::filesystem::path path(location);
  if (location.empty() || location.find('\0') != std::string::npos)
    fail(ErrorCode::kFormat, "external data without a usable location");
  if (path.is_absolute()) fail(ErrorCode::kFormat, "external data at the absolute path {}", location);
  FileDescriptor file(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() < 0) fail(ErrorCode::kIo, "the folder of external data can't be opened: {}", system_reason());
  for (const std::filesystem::path& part : path) {
    if (part == "..") fail(ErrorCode::kFormat, "external data at {} leaves the model's folder", location);
    if (part.empty() || part == ".") continue;
    file = FileDescriptor(::openat(file.get(), part.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() < 0 && errno == ELOOP)
      fail(ErrorCode::kFormat, "external data at {} goes through a symbolic link", location);
    if (file.get() < 0) fail(ErrorCode::kIo, "external data at {} can't be opened: {}", location, system_reason());
  }
  return file;
}

}  // namespace

FileBytes ExternalData::read(const ExternalEntry& entry, std::int64_t size) {
  if (!folder_)
    fail(ErrorCode::kFormat, "the elements are in another file ({}), which is read for a model in a file beside it",
         entry.location);
  const std::int64_t offset = parse_number(entry.offset, "offset", 0);
  const std::int64_t length = parse_number(entry.length, "length", size);
  if (length != size) fail(ErrorCode::kFormat, "external data has {} bytes, the tensor needs {}", length, size);

  const FileDescriptor file = open_below(*folder_, entry.location);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    fail(ErrorCode::kIo, "external data at {} can't be opened: {}", entry.location, system_reason());
  if (!S_ISREG(status.st_mode)) fail(ErrorCode::kFormat, "external data at {} is not a regular file", entry.location);
  if (offset > status.st_size || size > status.st_size - offset)
    fail(ErrorCode::kFormat, "external data at {}: bytes {} to {}+{} of a file of {}", entry.location, offset, offset,
         size, status.st_size);
  locations_.insert(entry.location);
  if (files_.emplace(status.st_dev, status.st_ino).second) stored_ += std::min(status.st_size, kMostStored - stored_);
  read_ += size;
  if ((read_ - kSharingSlack) / kSharingFactor > stored_)
    fail(ErrorCode::kLimit, "tensors read {} bytes of external data from files that have {}", read_, stored_);

  std::shared_ptr<std::byte> memory = allocate_bytes(static_cast<std::size_t>(size));
  const std::span<std::byte> bytes(memory.get(), static_cast<std::size_t>(size));
  if (read_at(file, offset, bytes) != bytes.size())
    fail(ErrorCode::kIo, "external data at {} became shorter while it was read", entry.location);
  return {bytes, std::move(memory)};
}

std::vector<std::filesystem::path> ExternalData::files() const {
  std::vector<std::filesystem::path> paths;
  for (const std::string& location : locations_) paths.push_back(*folder_ / location);
  return paths;
}

}  // namespace octet
