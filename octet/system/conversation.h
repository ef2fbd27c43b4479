// conversation.h: a program that is asked, line by line, and answers each in one line.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "octet/system/output_tail.h"
#include "octet/system/pipe.h"
#include "octet/system/supervisor.h"

namespace octet {

class Conversation {
 public:
  // Looks the program up in PATH. Its temporary files are to go to `temporary`. Throws kIo when it can't be started.
  Conversation(const std::vector<std::string>& arguments, const std::filesystem::path& temporary);

  // Throws kIo, with the end of what it said on standard error, when it ends instead, or takes longer than `limit`. A process
  // whose SIGPIPE is not ignored ends with a program that has ended.
  std::string ask(const std::string& question, std::chrono::seconds limit);

 private:
  std::string program_;
  Pipe questions_, answers_, errors_;
  OutputTail said_;
  std::string heard_;  // of the next answer
  Supervisor supervisor_;
};

}  // namespace octet
