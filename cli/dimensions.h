// dimensions.h: the option --dim NAME=NUMBER.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/parser.h"

namespace octet::cli {

void add_dim_option(CommandLine line, std::vector<std::string>& bindings);

// {"N=1", "T=16"} as numbers by name. Throws kUsage, quoting what is not NAME=NUMBER or is said twice.
std::map<std::string, std::int64_t> parse_dimensions(const std::vector<std::string>& bindings);

}  // namespace octet::cli
