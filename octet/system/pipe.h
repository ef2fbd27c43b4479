// pipe.h: both ends of a pipe, closed when no longer needed, and not inherited by programs that are started.
#pragma once

#include <array>

namespace octet {

class Pipe {
 public:
  // Throws kIo.
  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_reader() { close_end(0); }
  void close_writer() { close_end(1); }

 private:
  void close_end(std::size_t end);

  std::array<int, 2> ends_{-1, -1};
};

}  // namespace octet
