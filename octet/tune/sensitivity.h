// sensitivity.h: which layers of a float network 8 bits hurt.
//
// A layer is a node that is quantized and computes, with the Relu or Clip that is quantized along with it; nodes that only
// move bytes add nothing. A kind is all layers of one operator. Each is quantized alone, the rest float, and left float
// alone, the rest quantized.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "octet/base/progress.h"
#include "octet/engine/engine.h"
#include "octet/evaluate/baseline.h"
#include "octet/graph/model.h"
#include "octet/quantize/plan.h"
#include "octet/quantize/write_rules.h"

namespace octet {

struct Layer {
  std::string name, op_type;        // of a kind both are the operator
  std::vector<NodeDecision> nodes;  // that keep it float
  std::string tensor = {};          // that comes out of the last of them; of a kind, empty
};

struct LayerSensitivity {
  Layer layer;
  Measured alone;                  // it is quantized, the rest is float
  std::optional<Measured> spared;  // it is float, the rest quantized; nothing where there is no rest
  double share = 0;                // of the noise of all layers, or kinds, each alone
};

struct Sensitivity {
  Measured all;                                 // everything quantized
  std::vector<LayerSensitivity> layers, kinds;  // worst first
};

struct SensitivityOptions {
  StaticOptions quantization;
  bool only_alone = false;  // layers alone are measured: no kinds, nothing spared
  std::string engine = kDefaultEngine;
  int threads = 0;
  Progress progress;  // in networks that were measured
};

// The layers of a simplified model that these options quantize, in the order of its nodes.
std::vector<Layer> layers_of(const Model& simplified, const Ranges& ranges, const StaticOptions& options);

// What keeps them float.
std::vector<NodeDecision> float_decisions(const std::vector<Layer>& layers);
// What gives their activations 16 bits, of the kind that `activations` is.
std::vector<NodeDecision> wide_decisions(const std::vector<Layer>& layers, DType activations);

// The choice that rules_text(decisions) as a file makes.
Selection selection_of(const std::vector<NodeDecision>& decisions);

// `baseline` has measured the simplified model, `ranges` are of its activations.
Sensitivity measure_sensitivity(const Model& simplified, const Ranges& ranges, const Baseline& baseline,
                                const SensitivityOptions& options = {});

// The first of `layers`: so many, or as many as make half of the noise.
std::vector<Layer> worst_layers(const Sensitivity& sensitivity, std::optional<int> count);

}  // namespace octet
