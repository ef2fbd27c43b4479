// tune.h: the cheapest way to quantize a network that is good enough, found by trying.
//
// Which scales come first is the target's to say. For Deployment::kHardware, what costs it most comes last: first one scale per tensor and no zero points of activations, then zero points, then
// a scale per channel of the weights, then both; then, with both, 16 bits for the activations of the worst layers, one, two and four
// of them (sensitivity.h), and in the end these layers left float. How ranges are calibrated and the methods that repair
// (repair.h) cost nothing at run time, so each of the first four is tried with every calibration, and with the best of these the
// methods are added one by one: one that helps is kept, for those behind it too. In ONNX Runtime scales per channel and zero points
// cost nothing, and 16 bits cost more than float: there both are taken from the start, and then layers are left float.
//
// Who calibrated and chose says little about other samples: where there are held-out ones, they judge what was chosen.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "octet/evaluate/baseline.h"
#include "octet/quantize/calibrate.h"
#include "octet/quantize/repair.h"
#include "octet/tune/sensitivity.h"

namespace octet {

struct Scheme {
  bool per_channel = false;  // of the weights
  bool symmetric = true;     // activations
  Calibration calibration = Calibration::kMinMax;
  Repairs repairs = {};
  int wide = 0;    // layers whose activations have 16 bits
  int spared = 0;  // layers that stay float

  bool operator==(const Scheme&) const = default;
};

// "per tensor, symmetric, minmax, equalized, 2 layers float".
std::string to_string(const Scheme& scheme);
StaticOptions options_of(const Scheme& scheme, StaticOptions options);

// What hardware can't do is not tried.
struct SchemeLimits {
  bool per_tensor = false;  // no scales per channel
  bool symmetric = false;   // no zero points of activations
  Deployment target = Deployment::kHardware;
};

// How many there are to try at most.
std::size_t most_schemes(const SchemeLimits& limits);

struct Tried {
  Scheme scheme;
  double sqnr = 0;
  std::int64_t right = 0;  // where there are labels
  Agreement agreement;     // with the float network
};
// Points of accuracy that it is behind the float network, where there are labels.
double points_lost(const Tried& tried, const Baseline& baseline);

// One of the two.
struct Goal {
  std::optional<double> max_loss;  // points of accuracy
  std::optional<double> min_sqnr;  // dB at the output that has least
};
// Throws kUsage unless it is one of the two.
void require_goal(const Goal& goal);
bool is_met(const Goal& goal, const Tried& tried, const Baseline& baseline);

struct TuneOptions {
  Goal goal;
  SchemeLimits limits;
  StaticOptions quantization;  // but for what is tried
  SampleRuns runs;
  std::vector<Tried> known;                 // not tried again, but for the one that is chosen
  std::function<void(const Tried&)> tried;  // called after each that was
  Progress progress;                        // in schemes, of most_schemes()
  const Baseline* judge = nullptr;          // the float network on held-out samples; null: there are none
};

struct Tuned {
  std::vector<Tried> tried;
  // Among them: the first that meets the goal, else the best by what the goal counts, then by the other.
  std::size_t best = 0;
  bool met = false;
  std::optional<Tried> verdict;         // the best on held-out samples
  bool holds = true;                    // and it meets the goal there, too
  Model model;                          // of the best, quantized
  std::vector<Layer> wide, spared;      // of the best
  std::vector<NodeDecision> decisions;  // that make them so
};

// Throws kUsage for a goal in points without labels, and kFormat where the chosen scheme is known and measures otherwise.
Tuned tune(const Model& simplified, const Baseline& baseline, const TuneOptions& options);

}  // namespace octet
