// run_model.h: one run of a program, with its results in order, as text and JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "octet/base/progress.h"
#include "octet/engine/engine.h"

namespace octet {

struct RunResult {
  NamedTensors inputs, results;
  std::vector<std::string> order;  // names of results: as the program lists its outputs, or as it computes its values
};

// Runs the program on these inputs. `all` keeps every value of the program, not only its outputs. Throws as Engine::run.
RunResult run_model(const Engine& engine, NamedTensors inputs, bool all = false, const Progress& progress = {});

// A table of the results, no wider than `width`.
std::string run_text(const RunResult& found, std::size_t width);

// What JSON calls them.
struct RunSource {
  std::string model, policy, engine, arithmetic;
};
// docs/schemas/run.schema.json
std::string run_json(const RunResult& found, const RunSource& source);

}  // namespace octet
