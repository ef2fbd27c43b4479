// tune.h: the cheapest way to quantize a network that is good enough, found by trying.
//
// What costs hardware most comes last: first one scale per tensor and no zero points of activations, then zero points, then
// a scale per channel of the weights, then both; and in the end, with both, the worst layers left float, one, two and four
// of them (sensitivity.h). How ranges are calibrated costs nothing at run time, so every way is tried with each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "octet/evaluate/yardstick.h"
#include "octet/quantize/calibrate.h"
#include "octet/tune/sensitivity.h"

namespace octet {

struct Scheme {
  bool per_channel = false;  // of the weights
  bool symmetric = true;     // activations
  Calibration calibration = Calibration::kMinMax;
  int spared = 0;  // layers that stay float

  bool operator==(const Scheme&) const = default;
};

// "per tensor, symmetric, minmax, 2 layers float".
std::string to_string(const Scheme& scheme);
StaticOptions options_of(const Scheme& scheme, StaticOptions options);

// What hardware can't do is not tried.
struct SchemeLimits {
  bool per_tensor = false;  // no scales per channel
  bool symmetric = false;   // no zero points of activations
};
// All there are to try, cheapest first.
std::vector<Scheme> schemes(const SchemeLimits& limits);

struct Tried {
  Scheme scheme;
  double sqnr = 0;
  std::int64_t right = 0;  // where there are labels
  Agreement agreement;     // with the float network
};

// One of the two.
struct Goal {
  std::optional<double> max_loss;  // points of accuracy
  std::optional<double> min_sqnr;  // dB at the output that has least
};
bool is_met(const Goal& goal, const Tried& tried, const Yardstick& yardstick);

struct TuneOptions {
  Goal goal;
  SchemeLimits limits;
  StaticOptions quantization;  // but for what is tried
  std::string engine = kDefaultEngine;
  int threads = 0;
  std::function<Ranges(Calibration, const Encoding&)> ranges;  // of the model's activations
  std::vector<Tried> known;                                    // need not be tried again
  std::function<void(const Tried&)> tried;                     // called after each that was
};

struct Tuned {
  std::vector<Tried> tried;
  std::size_t best =
      0;  // among them: the first that meets the goal, else the most right, else the one with least noise
  bool met = false;
  Ranges ranges;              // of the best
  std::vector<Layer> spared;  // of the best
};

// Throws kUsage for a goal in points without labels.
Tuned tune(const Model& simplified, const Yardstick& yardstick, const TuneOptions& options);

}  // namespace octet
