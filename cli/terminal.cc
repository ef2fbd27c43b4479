#include "cli/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>

#include "octet/base/fail.h"
#include "octet/text/fit.h"
#include "octet/text/fold_lines.h"
#include "octet/text/utf8.h"

namespace octet::cli {
namespace {

constexpr std::size_t kWidthOfFiles = 120, kLeastWidth = 20;
constexpr std::size_t kLongestMessage = 4000;
constexpr std::string_view kWipe = "\r\x1b[K";       // the terminal's current line
constexpr std::chrono::milliseconds kInterval(100);  // between two states of the progress line
constexpr std::chrono::seconds kPlainInterval(5);    // between two lines of plain progress

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

void print_raw(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == EPIPE) throw ReaderGone();
  if (error != 0) fail(ErrorCode::kIo, "standard output can't be written: {}", std::generic_category().message(error));
}

// What COLUMNS says if it is a number above 0, else what the terminal says, if there is one.
std::optional<std::size_t> known_width() {
  if (const char* const variable = std::getenv("COLUMNS")) {
    const std::string_view text = variable;
    std::size_t columns = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
    if (error == std::errc() && end == text.data() + text.size() && columns > 0) return std::max(columns, kLeastWidth);
  }
  winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return std::max<std::size_t>(size.ws_col, kLeastWidth);
}

ProgressKind& progress_kind() {
  static ProgressKind kind = ProgressKind::kAuto;
  return kind;
}

using Clock = std::chrono::steady_clock;

Progress changing_line(std::string_view label) {
  return [text = std::string(label), next = Clock::now() + kInterval, shown = false](std::size_t done,
                                                                                     std::size_t total) mutable {
    if (done == total && shown) write_all(STDERR_FILENO, kWipe);
    if (done == total || Clock::now() < next) return;
    next = Clock::now() + kInterval;
    shown = true;
    write_all(STDERR_FILENO, fmt::format("\r{} {}/{}", text, done, total));
  };
}

Progress plain_lines(std::string_view label) {
  return [text = std::string(label), begin = Clock::now(), next = Clock::time_point()](std::size_t done,
                                                                                       std::size_t total) mutable {
    const Clock::time_point now = Clock::now();
    if (now < next) return;
    next = now + kPlainInterval;
    write_all(STDERR_FILENO, fmt::format("octet: {} {}/{} after {} s\n", text, done, total,
                                         std::chrono::duration_cast<std::chrono::seconds>(now - begin).count()));
  };
}

}  // namespace

void claim_standard_streams() {
  // Opened for reading, so that writing to a stream the caller closed still fails.
  for (int stream = 0; stream <= 2; ++stream)
    if (::fcntl(stream, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDONLY));
  std::signal(SIGPIPE, SIG_IGN);
}

void print(std::string_view text) { print_raw(fold_lines(printable_lines(text), known_width().value_or(0))); }

void print_data(std::string_view text) {
  if (::isatty(STDOUT_FILENO) != 0)
    print_raw(printable_lines(text));
  else
    print_raw(text);
}

void print_bytes(std::string_view bytes) {
  if (::isatty(STDOUT_FILENO) != 0)
    fail(ErrorCode::kUsage, "standard output is a terminal, which can't show the file: name one, or redirect it");
  print_raw(bytes);
}

void print_error(std::string_view message) {
  if (::isatty(STDERR_FILENO) != 0) write_all(STDERR_FILENO, kWipe);  // a progress line that an error cut short
  // Errors that list steps have a line for each, "\n  " before it. What a name has in it stays one line's.
  std::string text = "octet: ";
  for (std::size_t lines = 0;; ++lines) {
    const std::size_t end = message.find("\n  ");
    text += (lines == 0 ? "" : "  ") + shorten(printable(message.substr(0, end)), kLongestMessage) + "\n";
    if (end == std::string_view::npos) break;
    message.remove_prefix(end + 3);
  }
  write_all(STDERR_FILENO, text);
}

std::size_t terminal_width() { return known_width().value_or(kWidthOfFiles); }

void choose_progress(std::string_view kind) {
  if (kind != "auto" && kind != "plain" && kind != "none")
    fail(ErrorCode::kUsage, "--progress {}: wanted auto, plain or none", kind);
  progress_kind() = kind == "auto" ? ProgressKind::kAuto : kind == "plain" ? ProgressKind::kPlain : ProgressKind::kNone;
}

Progress progress_line(std::string_view label) {
  switch (progress_kind()) {
    case ProgressKind::kAuto: return ::isatty(STDERR_FILENO) == 0 ? Progress() : changing_line(label);
    case ProgressKind::kPlain: return plain_lines(label);
    case ProgressKind::kNone: break;
  }
  return {};
}

}  // namespace octet::cli
