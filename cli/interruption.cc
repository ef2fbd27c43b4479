#include "cli/interruption.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>

#include "cli/terminal.h"
#include "octet/system/cleanup_on_exit.h"

namespace octet::cli {
namespace {

constexpr int kSignalled = 128;

volatile std::sig_atomic_t file_limit_reached = 0;

// Neither ignored by the caller nor handled already, as a sanitizer handles SIGSEGV.
bool has_default_action(int signal) {
  struct sigaction action = {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL;
}

// Those that would end the process. A fault of our own ends it as ever: blocking does not hold a fault up.
sigset_t ending_signals() {
  constexpr std::array kNames = {SIGINT,  SIGTERM,   SIGHUP,  SIGQUIT, SIGXCPU, SIGUSR1,   SIGUSR2,
                                 SIGALRM, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR,  SIGSTKFLT, SIGABRT,
                                 SIGTRAP, SIGSYS,    SIGSEGV, SIGBUS,  SIGFPE,  SIGILL};
  sigset_t signals;
  ::sigemptyset(&signals);
  const auto add = [&](int signal) {
    if (has_default_action(signal)) ::sigaddset(&signals, signal);
  };
  for (const int signal : kNames) add(signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) add(signal);
  return signals;
}

std::string signal_name(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

// A thread of its own, so that cleaning up may lock and allocate.
void end_when_asked(const sigset_t& signals) {
  int signal = 0;
  while (::sigwait(&signals, &signal) != 0) continue;
  clean_up_now();
  pollfd standard_error{STDERR_FILENO, POLLOUT, 0};  // a reader that has stopped must not keep us
  if (::poll(&standard_error, 1, 100) == 1) print_error("stopped by " + signal_name(signal));
  ::_exit(kSignalled + signal);
}

}  // namespace

void watch_for_interruption() {
  const sigset_t signals = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread(end_when_asked, signals).detach();
  if (has_default_action(SIGXFSZ)) std::signal(SIGXFSZ, [](int) { file_limit_reached = 1; });
}

int exit_code_after(int code) { return file_limit_reached ? kSignalled + SIGXFSZ : code; }

}  // namespace octet::cli
