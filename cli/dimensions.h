// dimensions.h: the option --dim NAME=NUMBER, and models whose inputs have symbolic dimensions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/parser.h"
#include "octet/graph/model.h"

namespace octet::cli {

void add_dim_option(CommandLine line, std::vector<std::string>& bindings);

// {"N=1", "T=16"} as numbers by name. Throws kUsage, quoting what is not NAME=NUMBER or is said twice.
std::map<std::string, std::int64_t> parse_dimensions(const std::vector<std::string>& bindings);

// Symbols of the inputs that nobody bound become 1: for made-up inputs.
Model with_symbols_as_one(const Model& model);

// A symbol that is the first dimension of inputs and nothing else in them is the number of samples: 1 where nobody bound
// it. Throws kUsage for other symbols and sizes that are not known, naming them and the options that give them.
Model with_batch_of_one(const Model& model);

}  // namespace octet::cli
