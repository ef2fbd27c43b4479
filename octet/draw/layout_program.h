// layout_program.h: octet-layout, the program that runs Graphviz, in a process of its own with limits on time and memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace octet {

// The exit codes of octet-layout. After a failure standard output has the reason.
enum class LayoutExit {
  kDone = 0,      // the image is on standard output
  kUsage = 2,     // wrong arguments, or files that cannot be read or written
  kFailed = 3,    // Graphviz reported a failure
  kTooLarge = 4,  // the image is larger than its format allows
  kNoMemory = 5,
};

// The path of octet-layout: $OCTET_LAYOUT where that is set, else next to the running program or in the folder above it, next to the
// shared library that holds this code, or in PATH. Throws kIo where it is in none of these.
std::filesystem::path find_layout_program();

struct LayoutJob {
  std::string dot;
  std::string engine;  // of Graphviz: "dot", "nop"
  std::string format;  // "svg", "png"
};

struct LayoutLimits {
  std::chrono::milliseconds time;
  std::uint64_t memory;  // bytes
};

struct LayoutResult {
  std::optional<std::string> image;
  std::string trouble;  // without an image the reason: "it crashed (SIGSEGV)", "it took longer than 60 s"
};

// Runs the program to its end. The process ends with this call, or with this process, whichever comes first. Threads may call it
// at once. Throws kLimit for an image larger than its format allows, and kIo when the program can't be started or answers with
// kUsage.
LayoutResult run_layout(const std::filesystem::path& program, const LayoutJob& job, const LayoutLimits& limits);

}  // namespace octet
