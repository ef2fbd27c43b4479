#include "cli/command.h"

#include <charconv>

#include "cli/terminal.h"
#include "octet/base/fail.h"
#include "octet/base/memory.h"
#include "octet/engine/engine.h"
#include "octet/system/atomic_file.h"

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
  line.option("--policy", policy, "How to lower: exact (default), onnxruntime or as-written", "NAME");
}

void add_engine_option(CommandLine line, std::string& engine) {
  std::string names;
  for (const NamedEngine& known : engines())
    names +=
        fmt::format("{}{}{}", names.empty() ? "" : ", ", known.name, known.name == kDefaultEngine ? " (default)" : "");
  line.option("--engine", engine, "What runs the program: " + names, "NAME");
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
  constexpr std::string_view kUnits = "KMGT";
  std::uint64_t number = 0;
  const char* const end = size.data() + size.size();
  const auto [rest, error] = std::from_chars(size.data(), end, number);
  const std::size_t unit = end - rest == 1 ? kUnits.find(*rest) : std::string_view::npos;
  const unsigned shift = rest == end ? 0 : 10 * static_cast<unsigned>(unit + 1);
  if (error != std::errc() || (rest != end && unit == std::string_view::npos) || number == 0 ||
      number > UINT64_MAX >> shift)
    fail(ErrorCode::kUsage, "--memory wants a number of bytes such as 512M or 2G, and not {}", size);
  return number << shift;
}

}  // namespace octet::cli
