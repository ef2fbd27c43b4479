#include "cli/python_option.h"

#include <cstdlib>

namespace octet::cli {

void add_python_option(CommandLine line, std::string& python, const std::string& packages) {
  line.option("--python", python, "A Python with " + packages + "; else $OCTET_PYTHON, else python3", "FILE");
}

std::string python_or_default(const std::string& given) {
  if (!given.empty()) return given;
  const char* variable = std::getenv("OCTET_PYTHON");
  return variable && *variable ? variable : "python3";
}

}  // namespace octet::cli
