#include "cli/command.h"

#include "cli/terminal.h"
#include "octet/base/atomic_file.h"

namespace octet::cli {

void add_json_option(CommandLine line, std::string& file) {
  line.option("--json", file, "Write the facts as JSON instead of text; - is standard output", "FILE");
}

void write_json(std::string_view text, const std::string& file) {
  if (file == "-")
    print(text);
  else
    write_file(file, text);
}

void add_policy_option(CommandLine line, std::string& policy) {
  line.option("--policy", policy, "How to lower: exact (else), onnxruntime or as-written", "NAME");
}

void add_threads_option(CommandLine line, int& threads) {
  line.option("--threads", threads, "Threads; 0 is one per core. Results don't depend on it", "N");
}

}  // namespace octet::cli
