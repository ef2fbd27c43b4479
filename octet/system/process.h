// process.h: a program run to its end, or to the end of its time.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace octet {

struct ProcessResult {
  int exit_code = 0;
  int signal = 0;  // that ended it; 0: it ended by itself
  bool timed_out = false;
  bool too_long = false;  // what it answered; it was killed for that
  std::string said;       // its last words (system/output_tail.h)
};

// What a program is asked and where its answer goes.
struct ProcessTalk {
  int question = -1;              // a descriptor that becomes its standard input; -1: nothing to read
  std::string* answer = nullptr;  // takes its standard output; without it, that is among its last words
  std::size_t most = 0;           // bytes of the answer
};

// Looks the program up in PATH. Its temporary files are to go to `temporary`. When it ends, and at `limit`, all that it started is killed, whatever process group or session that moved to. Throws kIo when
// it can't be started.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& temporary,
                          std::chrono::milliseconds limit, const ProcessTalk& talk = {});

}  // namespace octet
