#include "octet/system/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "octet/base/fail.h"

namespace octet {

Pipe::Pipe() {
  if (pipe2(ends_.data(), O_CLOEXEC) != 0) fail(ErrorCode::kIo, "no pipe: {}", std::strerror(errno));
}

Pipe::~Pipe() {
  close_reader();
  close_writer();
}

void Pipe::close_end(std::size_t end) {
  if (ends_[end] >= 0) close(ends_[end]);
  ends_[end] = -1;
}

}  // namespace octet
