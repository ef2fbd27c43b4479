// model_inputs.h: the inputs of one run: read from a file, or made up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "octet/base/tensor.h"
#include "octet/graph/model.h"

namespace octet {

// The model's inputs that are in an .npz archive by name, or the one required input from an .npy file; converted where
// NumPy has no such type (see octet/system/npy.h): float32 to bfloat16, ties to even; int8 and uint8, in range, to the
// narrower integers; uint8 to the bits of float8 and float4. Arrays that are no inputs of the model are named in
// `ignored`. Throws octet::Error, for an array that is not what the input wants with what would make it so.
std::map<std::string, Tensor> read_inputs(const Model& model, const std::filesystem::path& file,
                                          std::vector<std::string>& ignored);

// Fills in the required inputs that are missing, the same ones for the same seed on every machine; an input's elements
// depend on its name and the seed alone. Integers of up to 16 bits and bool are uniform over their whole range, wider
// integers over 0 to 9, floating point over [-1, 1) in steps of 2^-23. Throws kUsage, naming all
// dimensions that are not known and the options that give them.
void add_random_inputs(const Model& model, std::uint64_t seed, std::map<std::string, Tensor>& inputs);

// Random inputs for a run with each of these batch sizes, to which symbolic first dimensions are bound, or one run without
// sizes. Other symbols are bound to 1. Throws kUsage where no first dimension is a symbol.
std::vector<std::map<std::string, Tensor>> random_batches(const Model& model, const std::vector<std::int64_t>& sizes,
                                                          std::uint64_t seed);

// Throws kUsage, naming what is missing, the options that give it, and what `file`, if there is one, holds instead.
void require_all_inputs(const Model& model, const std::map<std::string, Tensor>& inputs, const std::string& file = "");

}  // namespace octet
