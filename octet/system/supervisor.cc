#include "octet/system/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string_view>

#include "octet/base/fail.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has no header for it

namespace octet {
namespace {

constexpr std::string_view kTemporaryFolder = "TMPDIR=";
constexpr int kPatience = 10000;  // milliseconds for killed processes to go

// What the supervising process tells its parent: first that the program runs, then how it ended.
struct SupervisorReport {
  int error = 0;  // errno where it could not be started
  int status = 0;
};

// Everything from here to supervise() runs between fork and exit in a process that had other threads: nothing may
// allocate or lock.

void pause_a_moment() {
  const timespec moment{0, 1000000};
  nanosleep(&moment, nullptr);
}

// One generation: their own children become ours when they are gone.
void kill_children() {
  const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::array<char, 4096> text;
  const ssize_t size = read(file, text.data(), text.size());  // those that don't fit come next time
  close(file);
  pid_t number = 0;
  for (ssize_t i = 0; i < size; ++i) {
    const char c = text[static_cast<std::size_t>(i)];
    if (c >= '0' && c <= '9') {
      number = number * 10 + (c - '0');
    } else {
      if (number > 0) kill(number, SIGKILL);
      number = 0;
    }
  }
}

void kill_all(pid_t group) {
  for (int waited = 0; waited < kPatience; ++waited) {
    kill(-group, SIGKILL);
    kill_children();
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) return;
    pause_a_moment();
  }
}

// Until it ends by itself or SIGTERM asks for its end; its status.
int wait_for(pid_t program, const sigset_t& signals) {
  for (;;) {
    int status = 0;
    for (pid_t gone; (gone = waitpid(-1, &status, WNOHANG)) > 0;)
      if (gone == program) return status;
    const int signal = sigwaitinfo(&signals, nullptr);
    if (signal == SIGTERM) return SIGTERM;
  }
}

struct SpawnedProgram {
  char* const* words;
  char* const* variables;
  const posix_spawn_file_actions_t* actions;
  const posix_spawnattr_t* attributes;
};

[[noreturn]] void supervise(const SpawnedProgram& program, pid_t parent, const StandardStreams& streams,
                            int report_end) {
  SupervisorReport report;
  setpgid(0, 0);  // a terminal's Ctrl-C is the caller's to handle
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, SIGTERM);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(0);
  pid_t process = 0;
  report.error =
      posix_spawnp(&process, program.words[0], program.actions, program.attributes, program.words, program.variables);
  for (const int stream : {streams.input, streams.output, streams.errors})
    if (stream >= 0) close(stream);
  const bool told = write(report_end, &report, sizeof report) == sizeof report;
  if (report.error != 0) _exit(0);
  report.status = told ? wait_for(process, signals) : SIGTERM;
  kill_all(process);
  _exit(write(report_end, &report, sizeof report) == sizeof report ? 0 : 1);
}

bool read_report(int end, SupervisorReport& report) {
  ssize_t size = 0;
  do size = read(end, &report, sizeof report);
  while (size < 0 && errno == EINTR);
  return size == sizeof report;
}

}  // namespace

Supervisor::Supervisor(const std::vector<std::string>& arguments, const std::filesystem::path& temporary,
                       const StandardStreams& streams)
    : cleanup_([&] { start(arguments, temporary, streams); }, [this] { stop(); }) {}

void Supervisor::start(const std::vector<std::string>& arguments, const std::filesystem::path& temporary,
                       const StandardStreams& streams) {
  std::array<int, 2> report{-1, -1};
  if (pipe2(report.data(), O_CLOEXEC) != 0) fail(ErrorCode::kIo, "no pipe: {}", std::strerror(errno));
  report_ = report[0];
  std::string temporary_folder = std::string(kTemporaryFolder) + temporary.string();
  std::vector<char*> words, variables{temporary_folder.data()};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  for (char** variable = environ; *variable; ++variable)
    if (!std::string_view(*variable).starts_with(kTemporaryFolder)) variables.push_back(*variable);
  variables.push_back(nullptr);

  sigset_t all, none, before;
  sigfillset(&all);
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // so that the new process never runs a handler of the caller's
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (streams.input >= 0)
    posix_spawn_file_actions_adddup2(&actions, streams.input, STDIN_FILENO);
  else
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, streams.output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);

  const pid_t parent = getpid(), process = fork();
  if (process == 0) supervise({words.data(), variables.data(), &actions, &attributes}, parent, streams, report[1]);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(report[1]);
  SupervisorReport started;
  if (process < 0)
    started.error = error;
  else if (!read_report(report_, started))
    started.error = ECHILD;
  process_ = process;
  if (started.error == 0) return;
  if (process > 0) waitpid(process, nullptr, 0);
  close(report_);
  fail(ErrorCode::kIo, "{} can't be run: {}", arguments[0], std::strerror(started.error));
}

Supervisor::~Supervisor() {
  stop();
  close(report_);
}

int Supervisor::status() {
  SupervisorReport report;
  const bool told = read_report(report_, report);
  if (const pid_t process = process_.exchange(-1); process > 0) waitpid(process, nullptr, 0);
  return told ? report.status : SIGKILL;  // the supervisor itself was killed
}

void Supervisor::stop() {
  const pid_t process = process_.exchange(-1);
  if (process < 0) return;
  kill(process, SIGTERM);
  pollfd gone{report_, POLLIN, 0};
  int ready = 0;
  do ready = poll(&gone, 1, 2 * kPatience);
  while (ready < 0 && errno == EINTR);
  if (ready == 0) kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

}  // namespace octet
