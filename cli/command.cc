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

}  // namespace octet::cli
