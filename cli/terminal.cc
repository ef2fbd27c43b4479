#include "cli/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <system_error>

#include "octet/base/fail.h"
#include "octet/base/utf8.h"

namespace octet::cli {
namespace {

constexpr std::size_t kWidthOfFiles = 120;
constexpr std::string_view kWipe = "\r\x1b[K";       // the terminal's current line
constexpr std::chrono::milliseconds kInterval(100);  // between two states of the progress line

// 0, or the error number.
int write_all(int stream, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(stream, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

void claim_standard_streams() {
  // Opened for reading, so that writing to a stream the caller closed still fails.
  for (int stream = 0; stream <= 2; ++stream)
    if (::fcntl(stream, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDONLY));
  std::signal(SIGPIPE, SIG_IGN);
}

void print(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == EPIPE) throw ReaderGone();
  if (error != 0) fail(ErrorCode::kIo, "standard output can't be written: {}", std::generic_category().message(error));
}

void print_error(std::string_view message) {
  if (::isatty(STDERR_FILENO) != 0) write_all(STDERR_FILENO, kWipe);  // a progress line that an error cut short
  write_all(STDERR_FILENO, "octet: " + printable(message) + "\n");
}

std::size_t terminal_width() {
  winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kWidthOfFiles;
  return size.ws_col;
}

Progress progress_line(std::string_view label) {
  if (::isatty(STDERR_FILENO) == 0) return {};
  using Clock = std::chrono::steady_clock;
  return [text = std::string(label), next = Clock::now() + kInterval, shown = false](std::size_t done,
                                                                                     std::size_t total) mutable {
    if (done == total && shown) write_all(STDERR_FILENO, kWipe);
    if (done == total || Clock::now() < next) return;
    next = Clock::now() + kInterval;
    shown = true;
    write_all(STDERR_FILENO, fmt::format("\r{} {}/{}", text, done, total));
  };
}

}  // namespace octet::cli
