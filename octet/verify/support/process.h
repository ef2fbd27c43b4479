// process.h: a program run to its end, or to the end of its time.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace octet {

struct ProcessResult {
  int exit_code = 0;
  int signal = 0;  // that ended it; 0: it ended by itself
  bool timed_out = false;
  std::string said;  // the end of what it wrote to standard output and standard error
};

// Looks the program up in PATH. Its standard input is empty. At `limit` it and what it started are killed. Throws kIo
// when it can't be started.
ProcessResult run_process(const std::vector<std::string>& arguments, std::chrono::seconds limit);

}  // namespace octet
