#include "octet/verify/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "octet/base/fail.h"
#include "octet/verify/support/supervisor.h"

namespace octet {
namespace {

constexpr std::size_t kMostKept = 4096;

// Ends of a pipe, closed when no longer needed.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(ErrorCode::kIo, "no pipe: {}", std::strerror(errno));
  }
  ~Pipe() {
    for (const int end : ends)
      if (end >= 0) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_writer() {
    close(ends[1]);
    ends[1] = -1;
  }
};

// Appends what there is, of which the end is kept; false at the end of all.
bool listen(int end, std::string& said) {
  std::array<char, 4096> bytes;
  const ssize_t count = read(end, bytes.data(), bytes.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  said.append(bytes.data(), static_cast<std::size_t>(count));
  if (said.size() > 2 * kMostKept) said.erase(0, said.size() - kMostKept);
  return true;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& temporary,
                          std::chrono::seconds limit) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  Pipe pipe;
  Supervisor supervisor(arguments, temporary, pipe.ends[1]);
  pipe.close_writer();
  const Clock::time_point end = Clock::now() + limit;
  ProcessResult result;
  bool ended = false, open = true;
  while (!ended && !result.timed_out) {
    std::array<pollfd, 2> ready{pollfd{supervisor.ended(), POLLIN, 0}, pollfd{open ? pipe.ends[0] : -1, POLLIN, 0}};
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now()) + milliseconds(1);
    const int count =
        poll(ready.data(), ready.size(), static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000)));
    if (count > 0 && ready[1].revents != 0) open = listen(pipe.ends[0], result.said);
    ended = count > 0 && ready[0].revents != 0;
    result.timed_out = !ended && Clock::now() >= end;
  }
  const int status = ended ? supervisor.status() : 0;
  supervisor.stop();
  for (pollfd ready{pipe.ends[0], POLLIN, 0}; open && poll(&ready, 1, 0) > 0;) open = listen(pipe.ends[0], result.said);
  if (result.said.size() > kMostKept) result.said.erase(0, result.said.size() - kMostKept);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace octet
