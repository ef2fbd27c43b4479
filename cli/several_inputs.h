// several_inputs.h: --input FILE as often as wanted, and --random SEED.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/parser.h"
#include "octet/export/vectors.h"
#include "octet/graph/model.h"

namespace octet::cli {

struct SeveralInputs {
  std::vector<std::string> files;
  std::optional<std::uint64_t> seed;

  bool given() const { return !files.empty() || seed; }
};
// `why`: the end of the help of --input.
void add_several_inputs(CommandLine line, SeveralInputs& options, std::string_view why);

// One for each file, in their order; without files one that is made up, if there is a seed, else none. Throws octet::Error.
std::vector<VectorInput> inputs_for_each(const Model& model, const SeveralInputs& options);

}  // namespace octet::cli
