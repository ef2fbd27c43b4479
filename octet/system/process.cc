#include "octet/system/process.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "octet/system/output_tail.h"
#include "octet/system/pipe.h"
#include "octet/system/supervisor.h"

namespace octet {
namespace {

// Reads what there is of an answer; false at its end.
bool hear(int descriptor, std::string& answer) {
  std::array<char, 65536> bytes;
  const ssize_t count = read(descriptor, bytes.data(), bytes.size());
  if (count < 0 && errno == EINTR) return true;
  if (count > 0) answer.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& temporary,
                          std::chrono::milliseconds limit, const ProcessTalk& talk) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  Pipe words, answers;
  OutputTail said;
  Supervisor supervisor(
      arguments, temporary,
      {.input = talk.question, .output = talk.answer ? answers.writer() : words.writer(), .errors = words.writer()});
  words.close_writer();
  answers.close_writer();
  const Clock::time_point end = Clock::now() + limit;
  ProcessResult result;
  bool ended = false, speaking = true, answering = talk.answer != nullptr;
  const auto listen = [&](int wait) {
    std::array<pollfd, 3> ready{pollfd{ended ? -1 : supervisor.ended(), POLLIN, 0},
                                pollfd{speaking ? words.reader() : -1, POLLIN, 0},
                                pollfd{answering ? answers.reader() : -1, POLLIN, 0}};
    if (poll(ready.data(), ready.size(), wait) <= 0) return false;
    if (ready[1].revents != 0) speaking = said.read_from(words.reader());
    if (ready[2].revents != 0) answering = hear(answers.reader(), *talk.answer);
    result.too_long = talk.answer && talk.answer->size() > talk.most;
    ended = ended || ready[0].revents != 0;
    return true;
  };
  while (!ended && !result.timed_out && !result.too_long) {
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now()) + milliseconds(1);
    listen(static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000)));
    result.timed_out = !ended && Clock::now() >= end;
  }
  const int status = ended ? supervisor.status() : 0;
  supervisor.stop();
  ended = true;
  while ((speaking || answering) && !result.too_long && listen(0)) continue;
  result.said = said.text();
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace octet
