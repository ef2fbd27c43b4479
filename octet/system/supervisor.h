// supervisor.h: a program and whatever it starts, under watch.
//
// A small process of its own stands between the caller and the program. It adopts what the program leaves behind
// (PR_SET_CHILD_SUBREAPER), so a child that forked twice or left its process group is still found, and killed when the
// program ends, when the caller wants it, or when the caller dies or is ended from outside.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "octet/system/cleanup_on_exit.h"

namespace octet {

// The descriptors that become a program's standard streams.
struct StandardStreams {
  int input = -1;  // -1: nothing to read
  int output = -1, errors = -1;
};

class Supervisor {
 public:
  // Starts the program, looked up in PATH, with `temporary` as the folder of its temporary files (TMPDIR). Throws kIo
  // when it can't be started.
  Supervisor(const std::vector<std::string>& arguments, const std::filesystem::path& temporary,
             const StandardStreams& streams);
  // Kills what still runs.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Becomes readable when the program and all it started are gone.
  int ended() const { return report_; }
  // To be called then: how the program ended, as waitpid says it.
  int status();
  // Kills it and all it started, and waits until they are gone.
  void stop();

 private:
  void start(const std::vector<std::string>& arguments, const std::filesystem::path& temporary,
             const StandardStreams& streams);

  std::atomic<pid_t> process_ = -1;  // the thread that takes it out waits for the process
  int report_ = -1;
  CleanupOnExit cleanup_;
};

}  // namespace octet
