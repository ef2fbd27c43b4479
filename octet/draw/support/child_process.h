// child_process.h: work that may crash, hang or eat all memory, done where that harms nobody: in a process of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace octet {

struct ChildLimits {
  std::chrono::milliseconds time;
  std::uint64_t memory;  // bytes beyond what this process holds already
};

// What a child came back with.
struct ChildResult {
  std::optional<std::string> answer;  // nothing unless it came to its end
  std::string trouble;                // then why: "it crashed (SIGSEGV)", "it took longer than 60 s"
};

// Forks, and returns what `work` returns in the child; an octet::Error that it throws is thrown here. The child ends
// with this call, or with this process, whichever comes first, and is reaped. It is silent, has no signal handlers and no
// open files of ours, and a stack of 256 MB.
//
// Other threads may run at the fork; the child has none of them, only copies of the locks they held. The C library makes
// its own (memory, files, loader) usable again, so `work` may allocate and load libraries, and must take no lock that
// another thread of this process might hold.
ChildResult run_in_child(const std::function<std::string()>& work, const ChildLimits& limits);

}  // namespace octet
