// loss.h: what a network loses beside a reference, tensor by tensor; no labels are needed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "octet/base/progress.h"
#include "octet/data/samples.h"
#include "octet/engine/engine.h"
#include "octet/evaluate/detections.h"
#include "octet/evaluate/noise.h"
#include "octet/evaluate/output_changes.h"
#include "octet/graph/model.h"

namespace octet {

struct TensorLoss {
  std::string name, counterpart;  // in the reference and in the other network
  std::string_view how;           // they were matched (matching.h)
  std::string node, op_type;      // that makes it in the reference; empty for an input
  bool output = false;
  Noise total;  // of the whole network up to here
  // What is added here: computed from the reference's values of the tensors before it, as real numbers, or rounded to
  // the integers that hold them where the other network's operators read integers. Nothing for what is not
  // computed, and where the reference is quantized itself.
  Noise own;
  std::optional<OutputChanges> changes;  // of an output
};

// Constants that stand in front of a DequantizeLinear, by the name of the reference's.
struct WeightLoss {
  std::string name;
  Noise noise;
};

struct Loss {
  std::int64_t samples = 0;
  bool float_reference = true;  // if false, own errors are not measured: they would include the reference's rounding
  std::vector<TensorLoss> tensors;  // in the order in which the reference computes them
  std::vector<WeightLoss> weights;
  std::vector<std::string> unmatched;    // float tensors of the reference that have no counterpart
  std::optional<Detections> detections;  // where they were asked for
};

struct LossOptions {
  std::string first = "the first network", second = "the second network";  // what errors call them
  std::map<std::string, std::string> map;      // tensors of the reference to those of the other network
  std::optional<double> threshold;             // of outputs: decisions that change are counted
  std::optional<DetectionOptions> detections;  // boxes and scores among the outputs
  std::int64_t batch = 32;
  std::string engine = kDefaultEngine;
  int threads = 0;
  Progress progress;  // in samples
};

// Both run as they are written, node by node, each on samples of its own, which are the same. Throws kUsage when there are
// none or not as many of one as of the other, and when a tensor that `map` names has another shape than its counterpart.
Loss measure_loss(const Model& reference, const Model& other, SampleStream& reference_samples,
                  SampleStream& other_samples, const LossOptions& options = {});

}  // namespace octet
