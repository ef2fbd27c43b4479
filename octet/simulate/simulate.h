// simulate.h: programs that go wrong beside the exact one, on samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "octet/base/progress.h"
#include "octet/data/samples.h"
#include "octet/engine/engine.h"
#include "octet/evaluate/score.h"

namespace octet {

// A program, and the arithmetic of its integer steps.
struct Variant {
  Program program;
  Arithmetic arithmetic;
};

// What a variant does to the values of the exact program's integer steps, over all samples; values that the variant does
// not compute are left out.
struct Damage {
  std::int64_t elements = 0, differing = 0;
  std::int64_t largest = 0;               // difference of two integers
  std::optional<std::size_t> first_step;  // of the exact program, with an element that differs
  Score score;
};

// In points: below 0 is worse than exact. Requires labels.
double accuracy_change(const Score& exact, const Damage& damage);

struct Simulated {
  bool labelled = true;  // without labels, scores say only what was predicted
  Score exact;
  std::vector<Damage> damages;  // one per variant
};

struct SimulateOptions {
  std::int64_t batch = 32;
  // Runs the exact program and the variants whose arithmetic it has. The reference engine runs the others.
  std::string engine = kDefaultEngine;
  int threads = 0;
  Progress progress;  // in samples, each counted once for the exact program and once for each variant
};

// Runs all of them on every batch. Scores are the elements of the first output per sample. Throws kUsage when there are
// no samples.
Simulated simulate(const Program& exact, const std::vector<Variant>& variants, SampleStream& samples,
                   const SimulateOptions& options = {});

}  // namespace octet
