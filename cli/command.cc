#include "cli/command.h"

#include "cli/terminal.h"
#include "octet/base/atomic_file.h"

namespace octet::cli {

void add_json_option(CLI::App& app, std::string& file) {
  app.add_option("--json", file, "Write the facts as JSON instead of text; - is standard output")->type_name("FILE");
}

void write_json(std::string_view text, const std::string& file) {
  if (file == "-")
    print(text);
  else
    write_file(file, text);
}

void add_example(CLI::App& app, const std::string& lines) { app.footer("Example:\n" + lines); }

}  // namespace octet::cli
