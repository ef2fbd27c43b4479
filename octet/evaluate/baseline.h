// baseline.h: the outputs of a network on samples, kept, and others held to them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "octet/base/progress.h"
#include "octet/data/samples.h"
#include "octet/engine/engine.h"
#include "octet/evaluate/score.h"

namespace octet {

struct Measured {
  double sqnr = 0;  // of the output that has least (noise.h), in dB
  Score score;      // of the first output; empty where there are no labels
};

class Baseline {
 public:
  // Opens the same samples each time.
  using Open = std::function<std::unique_ptr<SampleStream>()>;

  // Runs the reference once. Throws kUsage when there are no samples.
  Baseline(const Engine& reference, Open open, std::int64_t batch, const Progress& progress = {});

  // Requires a network with the same inputs and outputs.
  Measured measure(const Engine& other) const;

  std::int64_t samples() const { return samples_; }
  // Whether answers can be counted, and why not.
  bool labelled() const { return unlabelled_.empty(); }
  const std::string& unlabelled() const { return unlabelled_; }
  const Score& score() const { return score_; }  // of the reference
  // SHA-256 of the labels and of what the reference makes of the samples: other samples, or another reference, have
  // another.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  Open open_;
  std::int64_t batch_, samples_ = 0;
  std::string unlabelled_;
  std::vector<std::vector<Tensor>> outputs_;  // by batch
  Score score_;
  std::string fingerprint_;
};

}  // namespace octet
