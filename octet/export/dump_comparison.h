// dump_comparison.h: what others dumped of a program's tensors beside what Octet computes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "octet/base/progress.h"
#include "octet/engine/engine.h"
#include "octet/export/dumps.h"
#include "octet/export/vectors.h"
#include "octet/verify/difference.h"

namespace octet {

// A dumped tensor beside what Octet computes.
struct DumpVerdict {
  std::string tensor, file;
  std::size_t input = 0;  // of the network, by number
  std::size_t step = 0;
  std::optional<Difference> end_to_end;  // from the network's inputs, where they are given
  std::optional<Difference> alone;       // from what was dumped of all that its step reads
  Tensor found, wanted;                  // wanted by `alone` where there is one
  NamedTensors inputs;                   // of the step, that give `wanted`

  const Difference& judged() const { return alone ? *alone : *end_to_end; }
  bool compared() const { return alone || end_to_end; }
  bool equal() const { return (!alone || alone->equal()) && (!end_to_end || end_to_end->equal()); }
  // What it was made from is already wrong, and the step is right.
  bool follows() const { return alone && alone->equal() && !equal(); }
};

struct DumpComparison {
  std::vector<DumpVerdict> verdicts;  // input by input, each in the program's order
  std::vector<std::string> missing;   // tensors of the program that are not there, or not for every input
  std::size_t tensors = 0, compared = 0;
  bool equal = true;

  // The first whose step is wrong; else the first that differs; null where none does.
  const DumpVerdict* first_wrong() const;
};

// Every dump beside what the engine computes. `inputs`: the network's inputs that they were made from, one for each number, or
// none. Throws kUsage when these are not the inputs that were dumped, and when nothing can be compared. Progress counts the steps
// of a run.
DumpComparison compare_dumps(const Engine& engine, const Dumps& dumps, const std::vector<VectorInput>& inputs,
                             const Progress& progress = {});

}  // namespace octet
