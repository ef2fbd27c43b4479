// run_inputs.h: where the inputs of a run come from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/parser.h"
#include "octet/engine/engine.h"
#include "octet/graph/model.h"

namespace octet::cli {

// The model's inputs that are in an .npz archive by name, or the one required input from an .npy file; converted where
// NumPy has no such type (see octet/base/npy.h): float32 to bfloat16, ties to even; int8 and uint8, in range, to the
// narrower integers; uint8 to the bits of float8 and float4. Arrays that are no inputs of the model are named in
// `ignored`. Throws octet::Error, for an array that is not what the input wants with what would make it so.
NamedTensors read_inputs(const Model& model, const std::filesystem::path& file, std::vector<std::string>& ignored);

// Fills in the required inputs that are missing, the same ones for the same seed on every machine; an input's elements
// depend on its name and the seed alone. Integers of up to 16 bits and bool are uniform over their whole range, wider
// integers over 0 to 9, floating point over [-1, 1) in steps of 2^-23. Throws kUsage, naming all
// dimensions that are not known and the options that give them.
void add_random_inputs(const Model& model, std::uint64_t seed, NamedTensors& inputs);

// Throws kUsage, naming what is missing, the options that give it, and what `file`, if there is one, holds instead.
void require_all_inputs(const Model& model, const NamedTensors& inputs, const std::string& file = "");

// "note: x.npz holds 5 arrays that WHY: a, b, c, …", of arrays that are left out.
std::string ignored_arrays(const std::string& file, const std::vector<std::string>& names, std::string_view why);

// --input FILE and --random SEED.
struct InputOptions {
  std::string file;
  std::optional<std::uint64_t> seed;
};
void add_input_options(CommandLine line, InputOptions& options);

// All inputs of the model, from the file and made up; prints a note on arrays of the file that are none. Throws
// octet::Error.
NamedTensors inputs_for(const Model& model, const InputOptions& options);

}  // namespace octet::cli
