// python_option.h: the option --python of commands that ask other runtimes.
#pragma once

#include <string>

#include "cli/parser.h"

namespace octet::cli {

// `packages` are what it must have: "onnx and onnxruntime".
void add_python_option(CommandLine line, std::string& python, const std::string& packages);

// What was given, else $OCTET_PYTHON, else python3.
std::string python_or_default(const std::string& given);

}  // namespace octet::cli
