#include "octet/system/conversation.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "octet/base/fail.h"

namespace octet {
namespace {

constexpr std::size_t kLongestAnswer = std::size_t{16} << 20;

}  // namespace

Conversation::Conversation(const std::vector<std::string>& arguments, const std::filesystem::path& temporary)
    : program_(arguments.front()),
      supervisor_(arguments, temporary,
                  {.input = questions_.reader(), .output = answers_.writer(), .errors = errors_.writer()}) {
  questions_.close_reader();
  answers_.close_writer();
  errors_.close_writer();
}

std::string Conversation::ask(const std::string& question, std::chrono::seconds limit) {
  const std::string line = question + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = write(questions_.writer(), line.data() + sent, line.size() - sent);
    if (count < 0 && errno != EINTR) break;  // it has ended: its last words follow
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
  const auto end = std::chrono::steady_clock::now() + limit;
  bool errors_open = true;
  for (std::size_t length; (length = heard_.find('\n')) == std::string::npos;) {
    if (heard_.size() > kLongestAnswer)
      fail(ErrorCode::kIo, "{} wrote {} bytes without an end of line, and no answer", program_, heard_.size());
    if (std::chrono::steady_clock::now() >= end)
      fail(ErrorCode::kIo, "{} did not answer in {} seconds; {}", program_, limit.count(), said_.text());
    std::array<pollfd, 2> ready{pollfd{answers_.reader(), POLLIN, 0},
                                pollfd{errors_open ? errors_.reader() : -1, POLLIN, 0}};
    if (poll(ready.data(), ready.size(), 1000) <= 0) continue;
    if (ready[1].revents != 0) errors_open = said_.read_from(errors_.reader());
    if (ready[0].revents == 0) continue;
    std::array<char, 4096> bytes;
    const ssize_t count = read(answers_.reader(), bytes.data(), bytes.size());
    if (count > 0) heard_.append(bytes.data(), static_cast<std::size_t>(count));
    if (count == 0) {
      while (errors_open) errors_open = said_.read_from(errors_.reader());
      const int status = supervisor_.status();
      fail(ErrorCode::kIo, "{} {} instead of an answer; {}", program_,
           WIFSIGNALED(status)
               ? fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
               : fmt::format("ended with code {}", WEXITSTATUS(status)),
           said_.text());
    }
  }
  const std::size_t length = heard_.find('\n');
  const std::string answer = heard_.substr(0, length);
  heard_.erase(0, length + 1);
  return answer;
}

}  // namespace octet
