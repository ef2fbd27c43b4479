// vectors.h: golden vectors: for given inputs every tensor of the integer program, and all of its constants, with a
// manifest that says what they are (docs/schemas/vectors.schema.json).
//
//   manifest.json
//   constants/NAME       weights, and what step_constants.h lists of each step: conv_m, conv_addend, ...
//   tensors/NAME         what goes in, what every step makes; of several inputs tensors/0/NAME, tensors/1/NAME, ...
//   directed/NAME        directed.h: rows that are right on the edges where mistakes show
//
// NAME is an identifier. Float is the host's: what it makes of the network's inputs, and of the outputs from here, is
// named in the manifest and not among the tensors.
#pragma once

#include <string>
#include <vector>

#include "octet/base/progress.h"
#include "octet/engine/engine.h"
#include "octet/export/array_files.h"
#include "octet/export/files.h"

namespace octet {

// The network's own inputs.
struct VectorInput {
  std::string source;  // where they come from, for the manifest: "image.npy"
  NamedTensors tensors;
};

struct VectorOptions {
  ArrayStyle style;
  std::string step;       // this one alone, whatever is around it; empty: the whole program
  bool directed = false;  // also directed vectors
  Progress progress;      // of the runs, in steps
};

// The file of the network, for the manifest.
struct VectorModel {
  std::string file;
  std::string sha256;  // model_hash
};

struct Vectors {
  ExportedFiles files;
  std::size_t tensors = 0, constants = 0, steps = 0, inputs = 0;  // how many are in them
  std::size_t directed_rows = 0, directed_patches = 0;
  std::vector<std::string> host_products;  // steps that multiply by weights and are not in them
};

// The elements are the reference engine's. Without inputs, there are constants alone. Throws kUsage where there is no
// such step, with the nearest names, and what integer_program throws.
Vectors export_vectors(const Program& program, const VectorModel& model, const std::vector<VectorInput>& inputs,
                       const VectorOptions& options);

}  // namespace octet
