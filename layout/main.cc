// octet-layout: lays out and draws one graph with Graphviz, for octet/draw/layout_program.h, which starts it and limits its time.
//
//   octet-layout ENGINE FORMAT MEMORY FILE   writes the image of the DOT file to standard output
//
// ENGINE is a layout engine of Graphviz, FORMAT "svg" or "png", MEMORY the bytes it may take. Exit codes are in
// octet/draw/layout_program.h; after a failure standard output has the reason instead.
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <new>
#include <string>

#include "layout/graphviz.h"
#include "octet/base/error.h"
#include "octet/draw/layout_program.h"

namespace {

using octet::LayoutExit;

// RLIMIT_DATA counts data, not address space: libraries, and what a sanitizer or a thread's allocator only reserves, take none.
void limit_memory(std::uint64_t bytes) {
  std::ifstream file("/proc/self/statm");
  std::uint64_t field = 0, data = 0;
  for (int i = 0; i < 6; ++i) file >> (i == 5 ? data : field);
  if (!file) return;
  const rlim_t limit = data * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit memory{limit, limit}, no_core{0, 0};
  setrlimit(RLIMIT_DATA, &memory);
  setrlimit(RLIMIT_CORE, &no_core);
}

LayoutExit fail_with(LayoutExit code, const char* reason) {
  std::fputs(reason, stdout);
  std::fflush(stdout);
  return code;
}

LayoutExit draw(char** arguments) {
  const std::string memory = arguments[3];
  std::uint64_t bytes = 0;
  if (std::from_chars(memory.data(), memory.data() + memory.size(), bytes).ptr != memory.data() + memory.size())
    return fail_with(LayoutExit::kUsage, "MEMORY is no number of bytes");
  std::ifstream file(arguments[4], std::ios::binary);
  const std::string dot{std::istreambuf_iterator<char>(file), {}};
  if (!file) return fail_with(LayoutExit::kUsage, "FILE cannot be read");
  limit_memory(bytes);
  try {
    const std::string image = octet::graphviz_image(dot, arguments[1], arguments[2]);
    if (std::fwrite(image.data(), 1, image.size(), stdout) != image.size() || std::fflush(stdout) != 0)
      return fail_with(LayoutExit::kUsage, "standard output cannot be written");
    return LayoutExit::kDone;
  } catch (const octet::Error& error) {
    return fail_with(error.code() == octet::ErrorCode::kLimit ? LayoutExit::kTooLarge : LayoutExit::kFailed,
                     error.message().c_str());
  } catch (const std::bad_alloc&) {
    return LayoutExit::kNoMemory;
  }
}

void* draw_and_exit(void* arguments) { _exit(static_cast<int>(draw(static_cast<char**>(arguments)))); }

}  // namespace

// Graphviz recurses over graphs, so it runs on a thread with a large stack.
int main(int count, char** arguments) {
  if (count != 5) {
    std::fputs("usage: octet-layout ENGINE FORMAT MEMORY FILE (octet draw runs it)\n", stderr);
    return static_cast<int>(LayoutExit::kUsage);
  }
  constexpr std::size_t kStack = std::size_t{256} << 20;
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, kStack) == 0 &&
      pthread_create(&thread, &attributes, draw_and_exit, arguments) == 0)
    pthread_join(thread, nullptr);
  return static_cast<int>(LayoutExit::kNoMemory);
}
