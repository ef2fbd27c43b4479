// run_inputs.h: where the inputs of a run come from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/parser.h"
#include "cli/samples_options.h"
#include "octet/engine/engine.h"
#include "octet/graph/model.h"

namespace octet::cli {

// "note: x.npz holds 5 arrays that WHY: a, b, c, …", of arrays that are left out.
std::string ignored_arrays(const std::string& file, const std::vector<std::string>& names, std::string_view why);

// --input FILE and --random SEED, or --data PATH with all that says how samples become inputs.
struct InputOptions {
  std::string file;
  std::optional<std::uint64_t> seed;
  SamplesOptions samples = {};
};
void add_input_options(CommandLine line, InputOptions& options);

// All inputs of the model, from the file and made up; prints a note on arrays of the file that are none. Throws
// octet::Error.
NamedTensors inputs_for(const Model& model, const InputOptions& options);
// With the names of the classes, where samples or the model say them.
SampledInputs named_inputs_for(const Model& model, const InputOptions& options);

}  // namespace octet::cli
