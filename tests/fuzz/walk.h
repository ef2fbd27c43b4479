// walk.h: a model through everything that Octet does with models.
#pragma once

#include <cstdint>

#include "octet/graph/model.h"

namespace octet {

// Inputs of a graph that are small enough are filled from `seed`; symbols become 2. Whatever is wrong with the model
// ends as octet::Error, which the walks catch at each stage to go on with the next; anything else gets out.
//
// All of it stays within a budget of 32 MiB of tensors, so that a model that asks for more ends as an error too.

void walk_inspection(const Model& model);               // inspect, its text and its JSON
void walk_run(const Model& model, std::uint64_t seed);  // lower under every policy, write back, bounds, run
// Lower under every policy, run on the fast engine and on the reference engine: any other bit, and an error of one alone, get
// out too.
void walk_engines(const Model& model, std::uint64_t seed);
void walk_explanation(const Model& model, std::uint64_t seed);  // one element of every step
void walk_quantization(const Model& model);                     // statically in both formats, and dynamically

}  // namespace octet
