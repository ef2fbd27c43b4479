// process.h: a program run to its end, or to the end of its time.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace octet {

struct ProcessResult {
  int exit_code = 0;
  int signal = 0;  // that ended it; 0: it ended by itself
  bool timed_out = false;
  std::string said;  // its last words (base/last_words.h)
};

// Looks the program up in PATH. Its standard input is empty, and its temporary files are to go to `temporary`. When it
// ends, and at `limit`, all that it started is killed, whatever process group or session that moved to. Throws kIo when
// it can't be started.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& temporary,
                          std::chrono::seconds limit);

}  // namespace octet
