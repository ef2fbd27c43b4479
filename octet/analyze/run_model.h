// run_model.h: one run of a program, with its results in order, as text and JSON.
#pragma once

#include <cstddef>
#include <cstdint>
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

// The classes that a classifier gives a sample, best first.
struct TopClass {
  std::int64_t number = 0;
  std::string name;  // empty: unknown
  double score = 0;
};
struct TopClasses {
  std::string output;                          // empty: the network is no classifier
  std::vector<std::vector<TopClass>> samples;  // up to five of each
};
// Of the first output, where it is one row of several real numbers for each sample. `names` are by number, where they are as many as
// the scores.
TopClasses top_classes(const RunResult& found, const std::vector<std::string>& names);
// A line for each of the first ten samples; empty for what is no classifier.
std::string top_classes_text(const TopClasses& top);

// A table of the results, no wider than `width`.
std::string run_text(const RunResult& found, std::size_t width);

// What JSON calls them.
struct RunSource {
  std::string model, policy, engine, arithmetic;
};
// docs/schemas/run.schema.json
std::string run_json(const RunResult& found, const RunSource& source, const TopClasses& top = {});

}  // namespace octet
