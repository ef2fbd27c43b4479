#include "octet/system/read_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "octet/base/fail.h"
#include "octet/base/memory.h"

namespace octet {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr std::uint64_t kPipeShare = 4;  // of the machine's memory
constexpr int kWriterWait = 5000;        // milliseconds

[[noreturn]] void fail_reading(int error) {
  fail(ErrorCode::kIo, "can't be read: {}", std::generic_category().message(error));
}

struct Descriptor {
  int value;
  // Opening a pipe without a writer would wait forever.
  explicit Descriptor(const fs::path& path) : value(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

// Whether there is more to read before the time is over.
bool becomes_ready(int descriptor, int milliseconds) {
  pollfd ready{descriptor, POLLIN, 0};
  int count = 0;
  do count = ::poll(&ready, 1, milliseconds);
  while (count < 0 && errno == EINTR);
  return count != 0;
}

// From where it stands to its end, in memory that grows as needed.
FileBytes read_until_end(int file, const struct stat& status, std::uint64_t limit) {
  const bool terminal = S_ISCHR(status.st_mode) && ::isatty(file) == 1, pipe = S_ISFIFO(status.st_mode);
  // One byte more than the file is said to have, so that its end is seen without growing.
  std::size_t capacity = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1
                                                 : std::min(kChunk, static_cast<std::size_t>(limit) + 1);
  if (capacity > limit + 1) fail(ErrorCode::kLimit, "there are {} bytes, at most {} are read", status.st_size, limit);
  std::shared_ptr<std::byte> memory = allocate_bytes(capacity);
  std::size_t size = 0;
  bool waited = false;
  for (;;) {
    const ssize_t got = ::read(file, memory.get() + size, capacity - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN && (pipe || terminal)) {  // there is a writer, and it is still at work
      becomes_ready(file, -1);
      continue;
    }
    if (got < 0) fail_reading(errno);
    if (got == 0 && pipe && size == 0 && !waited) {  // perhaps the writer is about to come
      waited = true;
      if (!becomes_ready(file, kWriterWait)) fail(ErrorCode::kIo, "this is a pipe that nobody writes to");
      continue;
    }
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > limit) fail(ErrorCode::kLimit, "there are more than the {} bytes that are read at most", limit);
    if (size < capacity) continue;
    capacity = std::min(std::max(capacity * 2, kChunk), static_cast<std::size_t>(limit) + 1);
    std::shared_ptr<std::byte> larger = allocate_bytes(capacity);
    std::memcpy(larger.get(), memory.get(), size);
    memory = std::move(larger);
  }
  return {{memory.get(), size}, memory};
}

// What comes through a pipe says no size in advance.
std::uint64_t stream_limit(std::uint64_t limit) { return std::min(limit, machine_memory() / kPipeShare); }

FileBytes read_whole(const fs::path& path, std::uint64_t limit) {
  const Descriptor file(path);
  struct stat status = {};
  if (file.value < 0 || ::fstat(file.value, &status) != 0) fail_reading(errno);
  if (S_ISDIR(status.st_mode)) fail_reading(EISDIR);
  const bool regular = S_ISREG(status.st_mode);
  if (!regular && !S_ISFIFO(status.st_mode) && !(S_ISCHR(status.st_mode) && ::isatty(file.value) == 1))
    fail(ErrorCode::kIo, "this is a device; a file or a pipe is wanted");
  return read_until_end(file.value, status, regular ? limit : stream_limit(limit));
}

}  // namespace

FileBytes read_file(const fs::path& path, std::uint64_t limit) {
  try {
    return read_whole(path, limit);
  } catch (const Error& error) {
    throw error.at(path.string());
  }
}

FileBytes read_stream(int descriptor, std::uint64_t limit) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) fail_reading(errno);
  if (S_ISDIR(status.st_mode)) fail_reading(EISDIR);
  if (!S_ISREG(status.st_mode)) return read_until_end(descriptor, status, stream_limit(limit));
  if (const off_t begin = ::lseek(descriptor, 0, SEEK_CUR); begin > 0)
    status.st_size -= std::min(begin, status.st_size);
  return read_until_end(descriptor, status, limit);
}

}  // namespace octet
