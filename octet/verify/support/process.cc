#include "octet/verify/support/process.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>

#include "octet/base/last_words.h"
#include "octet/base/pipe.h"
#include "octet/base/supervisor.h"

namespace octet {

ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& temporary,
                          std::chrono::seconds limit) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  Pipe pipe;
  LastWords said;
  Supervisor supervisor(arguments, temporary, {.output = pipe.writer(), .errors = pipe.writer()});
  pipe.close_writer();
  const Clock::time_point end = Clock::now() + limit;
  ProcessResult result;
  bool ended = false, open = true;
  while (!ended && !result.timed_out) {
    std::array<pollfd, 2> ready{pollfd{supervisor.ended(), POLLIN, 0}, pollfd{open ? pipe.reader() : -1, POLLIN, 0}};
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now()) + milliseconds(1);
    const int count =
        poll(ready.data(), ready.size(), static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000)));
    if (count > 0 && ready[1].revents != 0) open = said.listen(pipe.reader());
    ended = count > 0 && ready[0].revents != 0;
    result.timed_out = !ended && Clock::now() >= end;
  }
  const int status = ended ? supervisor.status() : 0;
  supervisor.stop();
  for (pollfd ready{pipe.reader(), POLLIN, 0}; open && poll(&ready, 1, 0) > 0;) open = said.listen(pipe.reader());
  result.said = said.text();
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace octet
