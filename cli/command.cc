#include "cli/command.h"

#include <optional>

#include "cli/terminal.h"
#include "octet/base/fail.h"
#include "octet/base/memory.h"
#include "octet/engine/engine.h"
#include "octet/system/atomic_file.h"
#include "octet/text/byte_size.h"

namespace octet::cli {

void add_json_option(CommandLine line, std::string& file) {
  line.option("--json", file, "Write the facts as JSON instead of text; - is standard output", "FILE");
}

void write_json(std::string_view text, const std::string& file) {
  if (file == "-")
    print_data(text);
  else
    write_file(file, text);
}

void add_policy_option(CommandLine line, std::string& policy) {
  line.option("--policy", policy, "How to lower: exact (default), onnxruntime or as-written", "NAME")
      .offers({"exact", "onnxruntime", "as-written"});
}

void add_engine_option(CommandLine line, std::string& engine) {
  std::string text;
  std::vector<std::string> names;
  for (const NamedEngine& known : engines()) {
    names.emplace_back(known.name);
    text +=
        fmt::format("{}{}{}", text.empty() ? "" : ", ", known.name, known.name == kDefaultEngine ? " (default)" : "");
  }
  line.option("--engine", engine, "What runs the program: " + text, "NAME").offers(names);
}

void add_threads_option(CommandLine line, int& threads) {
  line.option("--threads", threads, "Threads; 0, as if not said, is one per core. Results don't depend on it", "N")
      .within(0, 1024);
}

void add_memory_option(CommandLine line, std::string& size, const std::string& what) {
  line.option("--memory", size, what, "SIZE");
}

std::uint64_t memory_limit(const std::string& size, std::uint64_t share) {
  if (size.empty()) return machine_memory() / share;
  if (const std::optional<std::uint64_t> bytes = byte_size(size)) return *bytes;
  fail(ErrorCode::kUsage, "--memory wants a number of bytes such as 512M or 2G, and not {}", size);
}

}  // namespace octet::cli
