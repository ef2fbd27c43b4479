#include "octet/verify/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "octet/base/fail.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has no header for it

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

pid_t start(const std::vector<std::string>& arguments, int output) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // so that what it starts can be killed with it
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t process = 0;
  const int error = posix_spawnp(&process, words[0], &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(ErrorCode::kIo, "{} can't be run: {}", arguments[0], std::strerror(error));
  return process;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, std::chrono::seconds limit) {
  using Clock = std::chrono::steady_clock;
  Pipe pipe;
  const pid_t process = start(arguments, pipe.ends[1]);
  pipe.close_writer();
  const Clock::time_point end = Clock::now() + limit;
  ProcessResult result;
  int status = 0;
  bool ended = false, open = true;
  while (!ended) {
    if (open) {
      pollfd ready{pipe.ends[0], POLLIN, 0};
      poll(&ready, 1, 50);
      std::array<char, 4096> bytes;
      if (ready.revents != 0) {
        const ssize_t count = read(pipe.ends[0], bytes.data(), bytes.size());
        open = count > 0;
        if (open) result.said.append(bytes.data(), static_cast<std::size_t>(count));
        if (result.said.size() > 2 * kMostKept) result.said.erase(0, result.said.size() - kMostKept);
      }
    } else {
      usleep(5000);
    }
    ended = waitpid(process, &status, WNOHANG) == process;
    if (!ended && Clock::now() >= end) {
      result.timed_out = true;
      kill(-process, SIGKILL);
      waitpid(process, &status, 0);
      ended = true;
    }
  }
  kill(-process, SIGKILL);  // what it left behind
  for (pollfd ready{pipe.ends[0], POLLIN, 0}; open && poll(&ready, 1, 0) > 0;) {
    std::array<char, 4096> bytes;
    const ssize_t count = read(pipe.ends[0], bytes.data(), bytes.size());
    open = count > 0;
    if (open) result.said.append(bytes.data(), static_cast<std::size_t>(count));
  }
  if (result.said.size() > kMostKept) result.said.erase(0, result.said.size() - kMostKept);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace octet
