// bench.h: how fast a network runs in an engine of Octet and in other runtimes, and how many of their results are exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "octet/bench/contender.h"
#include "octet/bench/exact_outputs.h"
#include "octet/bench/octet_contender.h"
#include "octet/bench/other_runtimes.h"
#include "octet/bench/peak.h"
#include "octet/bench/speed.h"

namespace octet {

// Another runtime, and the model that it runs.
struct Rival {
  Runtime runtime;
  std::string name;
  Model model;
};

struct BenchOptions {
  Policy policy = Policy::kExact;
  std::string engine = kDefaultEngine;
  MakeEngine make_engine = {};  // an engine of the caller's, under that name; else the one that has it
  int threads = 1;
  std::vector<Rival> rivals;
  std::string python = "python3";  // that has the rivals
  double seconds = 1;              // for each contender
  Progress progress;
};

// What came out for a contender.
struct Standing {
  Contender::Facts facts;
  std::string refusal;  // why it can't run the model; then nothing else is known but its name
  Speed speed;
  Equality exact;  // its outputs beside those of the reference engine
};

struct Measurement {
  int threads = 1;
  std::int64_t batch = 0;           // the first dimension of the inputs; 0 where they have none, or not the same
  std::vector<Standing> standings;  // Octet first, then the rivals
  std::vector<StepTime> steps;      // of Octet
  std::optional<Peak> peak;

  const Standing& octet() const { return standings.front(); }
};

// All get the same inputs, whose shapes the models' dimensions are bound to. Throws octet::Error, also for a rival that is not
// installed.
Measurement measure(const Model& model, const NamedTensors& inputs, const BenchOptions& options);

// Each of these inputs with each number of threads, in this order; `options.threads` is not used.
std::vector<Measurement> measure_settings(const Model& model, const std::vector<NamedTensors>& inputs,
                                          const std::vector<std::int64_t>& threads, BenchOptions options);

// How many times faster Octet is, by the medians.
double ratio_to_octet(const Measurement& measurement, const Standing& standing);
double samples_per_second(const Measurement& measurement, const Standing& standing);
// The fraction of the processor's peak; nothing where that is not known, or the step multiplies no
// integers.
std::optional<double> share_of_peak(const Measurement& measurement, const StepTime& step);

}  // namespace octet
