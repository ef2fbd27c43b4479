#include "octet/onnx/support/file_descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "octet/base/fail.h"

namespace octet {

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

std::string system_reason() { return std::generic_category().message(errno); }

std::pair<FileDescriptor, std::int64_t> open_regular(const std::filesystem::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe without a writer would hang
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail(ErrorCode::kIo, "can't be opened: {}", system_reason());
  if (!S_ISREG(status.st_mode)) fail(ErrorCode::kIo, "is not a regular file");
  return {std::move(file), status.st_size};
}

std::size_t read_at(const FileDescriptor& file, std::int64_t offset, std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        ::pread(file.get(), out.data() + done, out.size() - done, offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorCode::kIo, "can't be read: {}", system_reason());
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace octet
