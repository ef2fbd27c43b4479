#include "octet/base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "octet/base/error.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

// Names that several processes writing the same target do not share; O_EXCL settles what is left to chance.
fs::path temporary_name(const fs::path& target, int attempt) {
  fs::path name = target;
  name += ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
  return name;
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& path) : path_(path), target_(path) {
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_writing(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail_writing(errno);
    return;
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) fail_writing(errno);
  std::error_code ignored;
  if (exists) target_ = fs::canonical(path, ignored);
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = temporary_name(target_, attempt);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && (errno != EEXIST || attempt == 100)) fail_writing(errno);
  }
  if (exists) static_cast<void>(::fchmod(descriptor_, status.st_mode & 07777));
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail_writing(int error) const {
  throw Error(ErrorCode::kIo, "can't be written: " + std::generic_category().message(error), path_.string());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_writing(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) == 0 && (temporary_.empty() || ::rename(temporary_.c_str(), target_.c_str()) == 0)) return;
  const int error = errno;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  fail_writing(error);
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void write_file(const fs::path& path, std::string_view text) { write_file(path, std::as_bytes(std::span(text))); }

}  // namespace octet
