#include "octet/draw/support/child_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <new>

#include "octet/base/fail.h"

namespace octet {
namespace {

using Clock = std::chrono::steady_clock;

// What the child sends: this, and `length` bytes. Less than that is no answer.
struct MessageHead {
  enum class Kind : std::uint64_t { kAnswer, kError, kNoMemory } kind;
  std::uint64_t code;  // of an error
  std::uint64_t length;
};

void send_bytes(int pipe, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(pipe, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

void send_message(int pipe, MessageHead::Kind kind, ErrorCode code, const std::string& text) {
  const MessageHead head{kind, static_cast<std::uint64_t>(code), text.size()};
  send_bytes(pipe, &head, sizeof head);
  send_bytes(pipe, text.data(), text.size());
}

// Data counts, address space does not: libraries, and what a sanitizer or the allocator of a thread only reserves, are no
// use of memory.
void limit_memory(std::uint64_t beyond) {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0, data = 0;
  for (int field = 0; field < 6; ++field) file >> (field == 5 ? data : pages);
  if (!file) return;
  const rlim_t limit = data * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + beyond;
  const rlimit value{limit, limit};
  setrlimit(RLIMIT_DATA, &value);
}

// Nothing that this process does may show: neither a report of a sanitizer, nor a core file, nor what its parent's handlers
// would do, such as removing the parent's files.
void become_quiet(int& pipe) {
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);  // those that can't be set stay
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  constexpr int kPipe = 3;  // taken first: what is opened next must not get its number
  if (pipe != kPipe) dup2(pipe, kPipe);
  const int nothing = open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, standard);
  pipe = kPipe;
  close_range(kPipe + 1, ~0U, 0);
}

struct Task {
  const std::function<std::string()>& work;
  std::uint64_t memory;
  int pipe;
};

void* perform(void* argument) {
  const Task& task = *static_cast<Task*>(argument);
  using Kind = MessageHead::Kind;
  limit_memory(task.memory);
  try {
    send_message(task.pipe, Kind::kAnswer, ErrorCode{}, task.work());
  } catch (const Error& error) {
    send_message(task.pipe, Kind::kError, error.code(), error.message());
  } catch (const std::bad_alloc&) {
    send_message(task.pipe, Kind::kNoMemory, ErrorCode{}, "");
  }
  _exit(0);
}

[[noreturn]] void live_as_child(Task task, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it ended before it could be said
  become_quiet(task.pipe);
  constexpr std::size_t kStack = std::size_t{256} << 20;
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, kStack) == 0 &&
      pthread_create(&thread, &attributes, perform, &task) == 0)
    pthread_join(thread, nullptr);
  _exit(1);
}

// Both ends of the pipe and the child, none of which outlives this.
class Child {
 public:
  Child(const std::function<std::string()>& work, std::uint64_t memory) {
    if (pipe2(pipe_.data(), O_CLOEXEC) != 0) fail(ErrorCode::kIo, "no pipe: {}", std::strerror(errno));
    const pid_t parent = getpid();
    sigset_t all, before;  // a handler of ours must not run in the child
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    process_ = fork();
    const int error = errno;
    if (process_ == 0) live_as_child({work, memory, pipe_[1]}, parent);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    close(pipe_[1]);
    if (process_ > 0) return;
    close(pipe_[0]);
    fail(ErrorCode::kIo, "no process: {}", std::strerror(error));
  }
  ~Child() {
    end();
    close(pipe_[0]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Reads until the message is whole or the child has ended; false when neither happens in time.
  bool read_until(Clock::time_point deadline) {
    std::array<char, 65536> bytes;
    while (!message()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return false;
      pollfd ready{pipe_[0], POLLIN, 0};
      if (poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, 1'000'000))) <= 0) continue;
      const ssize_t count = read(pipe_[0], bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      received_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return true;
  }

  // What came, when it is whole.
  std::optional<std::pair<MessageHead, std::string_view>> message() const {
    MessageHead head;
    if (received_.size() < sizeof head) return std::nullopt;
    std::memcpy(&head, received_.data(), sizeof head);
    if (received_.size() - sizeof head < head.length) return std::nullopt;
    return std::pair(head, std::string_view(received_).substr(sizeof head));
  }

  // Kills it unless it ends by itself, and returns how it ended, as waitpid says it.
  int end() {
    if (process_ > 0) kill(process_, SIGKILL);
    while (process_ > 0 && waitpid(process_, &status_, 0) < 0 && errno == EINTR) continue;
    process_ = 0;
    return status_;
  }

 private:
  std::array<int, 2> pipe_{-1, -1};
  pid_t process_ = 0;
  int status_ = 0;
  std::string received_;
};

std::string ending_text(int status) {
  if (WIFSIGNALED(status)) return fmt::format("it crashed (SIG{})", sigabbrev_np(WTERMSIG(status)));
  return fmt::format("it crashed (exit code {})", WEXITSTATUS(status));
}

}  // namespace

ChildResult run_in_child(const std::function<std::string()>& work, const ChildLimits& limits) {
  Child child(work, limits.memory);
  if (!child.read_until(Clock::now() + limits.time))
    return {std::nullopt,
            fmt::format("it took longer than {:g} s", std::chrono::duration<double>(limits.time).count())};
  const auto message = child.message();
  if (!message) return {std::nullopt, ending_text(child.end())};
  const auto& [head, text] = *message;
  if (head.kind == MessageHead::Kind::kError) throw Error(static_cast<ErrorCode>(head.code), std::string(text));
  if (head.kind == MessageHead::Kind::kNoMemory) return {std::nullopt, "it ran out of memory"};
  return {std::string(text), ""};
}

}  // namespace octet
