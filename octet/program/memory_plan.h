// memory_plan.h: where the values of a program stand while it runs: one stretch of memory, worked out before the run.
//
// The plan is valid for engines that compute a step at once, reading its inputs while they write its outputs, and for engines
// that run its operations one after the other:
//   - a step's inputs and outputs are alive during all of it; values inside it from the operation that makes them to
//     the last that reads them
//   - inputs are alive from the beginning, outputs to the end
//   - values that are alive together have no byte in common, unless one is an alias of the other (a reshape is no copy)
//     or is written over it, element by element, where the other is dead
//   - nothing is written over an input of the program, and of the values that share bytes as aliases at most one is the
//     program's input or output: the caller may pass those in buffers of its own
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "octet/program/program.h"

namespace octet {

struct MemoryOptions {
  std::int64_t alignment = 64;  // of every value, a power of two up to 2^20
  bool aliases = true;
  bool in_place = true;
  std::map<std::string, std::int64_t> symbols = {};  // what they stand for; 1 where it is not said
};

struct MemoryPlace {
  std::int64_t offset = 0, bytes = 0;
};

struct PlannedValue {
  std::optional<MemoryPlace> place;  // none for constants, and for what no step mentions
  ValueId alias_of = kNoValue;       // the value whose bytes it has, under another name or shape
  ValueId overwrites = kNoValue;     // the value it is written over in place
};

struct MemoryPlan {
  std::int64_t alignment = 0;
  std::optional<std::int64_t> bytes;  // that hold everything, a multiple of the alignment; absent when there is no plan
  std::string obstacle;               // why there is none: "the shape of t, [?,3], is not known before the run"
  std::vector<PlannedValue> values;   // by ValueId
};

// Takes n log n for n operations. Throws kUsage for options that make no sense.
MemoryPlan plan_memory(const Program& program, const MemoryOptions& options = {});

}  // namespace octet
