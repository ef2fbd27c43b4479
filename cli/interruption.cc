#include "cli/interruption.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>

#include "cli/terminal.h"
#include "octet/base/leftover.h"

namespace octet::cli {
namespace {

constexpr int kSignalled = 128;

volatile std::sig_atomic_t file_limit_reached = 0;

bool is_ignored(int signal) {
  struct sigaction action = {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// A thread of its own, so that cleaning up may lock and allocate.
void end_when_asked(const sigset_t& signals) {
  int signal = 0;
  while (::sigwait(&signals, &signal) != 0) continue;
  remove_leftovers();
  pollfd standard_error{STDERR_FILENO, POLLOUT, 0};  // a reader that has stopped must not keep us
  if (::poll(&standard_error, 1, 100) == 1) print_error(std::string("stopped by SIG") + ::sigabbrev_np(signal));
  ::_exit(kSignalled + signal);
}

}  // namespace

void watch_for_interruption() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : std::array{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU})
    if (!is_ignored(signal)) ::sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread(end_when_asked, signals).detach();
  if (!is_ignored(SIGXFSZ)) std::signal(SIGXFSZ, [](int) { file_limit_reached = 1; });
}

int exit_code_after(int code) { return file_limit_reached ? kSignalled + SIGXFSZ : code; }

}  // namespace octet::cli
