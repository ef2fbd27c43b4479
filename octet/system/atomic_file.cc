#include "octet/system/atomic_file.h"

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

namespace {

// /dev/stdout, /dev/fd/9: the name of a file that is open already, which lives on under no name or takes what is appended.
bool names_a_descriptor(fs::path path) {
  std::error_code error;
  for (int i = 0; i < 40; ++i) {
    const fs::path folder = fs::weakly_canonical(path.parent_path(), error);
    if (!error && folder.filename() == "fd" && folder.string().starts_with("/proc/")) return true;
    const fs::path next = fs::read_symlink(path, error);
    if (error) return false;
    path = path.parent_path() / next;
  }
  return false;
}

}  // namespace

fs::path end_of_links(fs::path path) {
  constexpr int kMostLinks = 40;  // as Linux has it
  std::error_code ignored;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, ignored); ++i)
    path = path.parent_path() / fs::read_symlink(path, ignored);
  return path;
}

AtomicFile::AtomicFile(const fs::path& path) : path_(path), target_(path) {
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail_writing(errno);
  if (exists && S_ISDIR(status.st_mode)) fail_writing(EISDIR);
  if (exists && (!S_ISREG(status.st_mode) || names_a_descriptor(path))) {
    open_special();
    return;
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) fail_writing(errno);
  target_ = end_of_links(path);
  open_temporary();
  if (exists) static_cast<void>(::fchmod(descriptor_, status.st_mode & 07777));
}

void AtomicFile::open_special() {
  // Not to wait for a reader of a pipe that may never come; once it is open, writing waits as usual.
  descriptor_ = ::open(target_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0 && errno == ENXIO)
    throw Error(ErrorCode::kIo, "can't be written: it is a pipe or a socket that nobody reads", path_.string());
  if (descriptor_ < 0 || ::fcntl(descriptor_, F_SETFL, O_WRONLY | O_APPEND) != 0) fail_writing(errno);
}

void AtomicFile::open_temporary() {
  const auto make = [this] {
    for (int attempt = 0; descriptor_ < 0; ++attempt) {
      temporary_ = temporary_name(target_, attempt);
      descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor_ < 0 && (errno != EEXIST || attempt == 100)) fail_writing(errno);
    }
  };
  cleanup_.emplace(make, [this] { ::unlink(temporary_.c_str()); });
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (cleanup_) ::unlink(temporary_.c_str());
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
  if (::close(descriptor) == 0 && (!cleanup_ || ::rename(temporary_.c_str(), target_.c_str()) == 0)) return;
  const int error = errno;
  if (cleanup_) ::unlink(temporary_.c_str());
  fail_writing(error);
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void write_file(const fs::path& path, std::string_view text) { write_file(path, std::as_bytes(std::span(text))); }

}  // namespace octet
