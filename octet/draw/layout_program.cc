#include "octet/draw/layout_program.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "octet/base/fail.h"
#include "octet/system/atomic_file.h"
#include "octet/system/process.h"
#include "octet/system/scratch_folder.h"

namespace octet {
namespace {

constexpr const char* kProgram = "octet-layout";
constexpr std::size_t kMostImageBytes = std::size_t{1} << 30;

bool is_program(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

// Folders in which octet-layout may be, the first one that has it counts.
std::vector<std::filesystem::path> layout_folders() {
  std::vector<std::filesystem::path> folders;
  std::error_code error;
  if (const auto program = std::filesystem::read_symlink("/proc/self/exe", error); !error) {
    folders.push_back(program.parent_path());
    folders.push_back(program.parent_path().parent_path());
  }
  Dl_info library;
  if (dladdr(reinterpret_cast<const void*>(&find_layout_program), &library) != 0 && library.dli_fname)
    if (const auto path = std::filesystem::absolute(library.dli_fname, error); !error)
      folders.push_back(path.parent_path());
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path ? path : ""; !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return folders;
}

std::string crash_text(const ProcessResult& result) {
  if (result.signal != 0) return fmt::format("it crashed (SIG{})", sigabbrev_np(result.signal));
  return fmt::format("it crashed (exit code {})", result.exit_code);
}

}  // namespace

std::filesystem::path find_layout_program() {
  if (const char* given = std::getenv("OCTET_LAYOUT"); given && *given) {
    if (!is_program(given))
      fail(ErrorCode::kIo, "OCTET_LAYOUT is {}, which is no file; wanted the path of {}", given, kProgram);
    return given;
  }
  for (const std::filesystem::path& folder : layout_folders())
    if (is_program(folder / kProgram)) return folder / kProgram;
  fail(ErrorCode::kIo,
       "{}, which runs Graphviz, is neither next to this program nor in PATH; install Octet as a whole, or set "
       "OCTET_LAYOUT to its path",
       kProgram);
}

LayoutResult run_layout(const std::filesystem::path& program, const LayoutJob& job, const LayoutLimits& limits) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "graph.dot";
  write_file(file.string(), job.dot);
  std::string image;
  const ProcessResult result =
      run_process({program.string(), job.engine, job.format, std::to_string(limits.memory), file.string()},
                  folder.path(), limits.time, {.answer = &image, .most = kMostImageBytes});
  if (result.timed_out)
    return {std::nullopt,
            fmt::format("it took longer than {:g} s", std::chrono::duration<double>(limits.time).count())};
  if (result.too_long) return {std::nullopt, fmt::format("the image has more than {} bytes", kMostImageBytes)};
  if (result.signal != 0) return {std::nullopt, crash_text(result)};
  switch (static_cast<LayoutExit>(result.exit_code)) {
    case LayoutExit::kDone: return {std::move(image), ""};
    case LayoutExit::kUsage:
      fail(ErrorCode::kIo, "{} failed: {}", program.string(), image.empty() ? result.said : image);
    case LayoutExit::kFailed: return {std::nullopt, std::move(image)};
    case LayoutExit::kTooLarge: fail(ErrorCode::kLimit, "{}", image);
    case LayoutExit::kNoMemory: return {std::nullopt, "it ran out of memory"};
  }
  return {std::nullopt, crash_text(result)};
}

}  // namespace octet
