// step_groups.h: which tensors a judge is asked for at once, so that they fit a budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "octet/engine/engine.h"

namespace octet {

// Consecutive steps that are compared in one run of the judge.
struct StepGroup {
  std::size_t first = 0, end = 0;
  // Earlier steps whose results these read, and no judge is asked for: they are computed again, in this order.
  std::vector<std::size_t> before;
  // To ask for: what the steps make, and what they and those before read.
  std::set<std::string> tensors;
  // What later groups need of these and of the tensors kept before, and the outputs of the program.
  std::set<std::string> kept;
  std::int64_t bytes = 0;  // of these tensors and of the program's outputs, which every answer has
};

// The values of the program that this model can be asked for: those that it computes, dequantized ones left out, since
// that would keep a runtime from fusing.
std::set<std::string> exposable_values(const Model& model, const Program& program);

// The model with every such value among its outputs, or with those that are `wanted`.
Model with_values_exposed(Model model, const Program& program);
Model with_values_exposed(Model model, const Program& program, const std::set<std::string>& wanted);

// How many bytes each value that the program computes takes, with these inputs.
std::map<std::string, std::int64_t> value_sizes(const Engine& engine, const NamedTensors& inputs);

// All steps in groups that take at most `budget` bytes each, each group as long as that allows. Throws kLimit when a
// step alone takes more.
std::vector<StepGroup> group_steps(const Program& program, const std::set<std::string>& exposable,
                                   const std::map<std::string, std::int64_t>& sizes, std::int64_t budget);

}  // namespace octet
