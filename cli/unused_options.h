// unused_options.h: an option that a command would not use is an error, never silence.
#pragma once

#include <string>
#include <vector>

#include "cli/parser.h"

namespace octet::cli {

// When `unused` holds, none of the options may be given.
struct UnusedOptions {
  bool unused;
  std::vector<std::string> options;
  std::string why;
};

// Throws kUsage for the first that was given all the same: "--percentile is not used: ...".
void refuse_unused(const CommandLine& line, const std::vector<UnusedOptions>& table);

}  // namespace octet::cli
