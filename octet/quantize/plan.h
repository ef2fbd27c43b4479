// plan.h: static quantization decided: which nodes, which tensors, which parameters. The writers turn a plan into QDQ
// or operator format; both say the same integers.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "octet/graph/model.h"
#include "octet/program/program.h"
#include "octet/quantize/calibrate.h"
#include "octet/quantize/options.h"
#include "octet/quantize/parameters.h"
#include "octet/quantize/rules.h"
#include "octet/quantize/selection.h"
#include "octet/quantize/weights.h"

namespace octet {

using Ranges = std::map<std::string, Range>;

struct PlannedWeights {
  Parameters parameters;
  Tensor values;
};

struct PlannedNode {
  const Rule* rule = nullptr;             // null: the node stays float
  std::string reason;                     // why it stays float, or what is special about it
  std::optional<PlannedWeights> weights;  // of input 1
  std::optional<QuantizedBias> bias;      // of input 2
  // A Relu or Clip that runs between this node and the QuantizeLinear of its result, as an index into the nodes.
  std::optional<std::size_t> clamp;
};

// What the integer program of the result makes of a node.
enum class Computed {
  kFloat,
  kInteger,
  kMerged,  // no step of its own: part of another, or gone
};

// What the report says of one node of the simplified model.
struct NodeVerdict {
  std::string name, op_type;
  bool quantized = false;  // as planned
  std::string reason;
  NodeChoice choice;                          // what options and rules say of it
  std::optional<Parameters> result, weights;  // where they are known before the model runs
  Computed computed = Computed::kFloat;       // see set_computed()
};

struct Plan {
  Model model;  // simplified, without the clamps that saturation makes redundant
  StaticOptions options;
  std::vector<PlannedNode> nodes;                 // one per node of model.graph
  std::map<std::string, Parameters> activations;  // every tensor that is 8-bit in the result
  std::map<std::string, Tensor> constants;        // those of them that are constants, as integers
  std::map<std::string, std::string> unclamped;   // results of redundant clamps: the value that they would have clamped
  std::vector<NodeVerdict> report;
  std::vector<std::string> warnings;
};

// The model's functions expanded, BatchNormalization and constants folded, identities removed, every node named (by its first
// output where it had no name): what calibration runs and plan() takes. Functions of the standard (RMSNormalization) stay:
// what is inside them is not for 8 bits.
Model simplify_for_quantization(Model model);

// The float activations whose ranges plan() may need, in a simplified model, whatever the options.
std::set<std::string> tensors_to_observe(const Model& model);

// Those whose ranges plan() needs with these options. Throws kUsage as it does.
std::set<std::string> tensors_to_observe(const Model& model, const StaticOptions& options, const Selection& selection);

// The tensors among them whose ranges rules calibrate in another way, and how: by `general` but for what the rules say,
// and for the type that each has.
std::map<std::string, CalibrationOptions> calibrations_by_rules(const Model& model, const StaticOptions& options,
                                                                const Selection& selection,
                                                                const CalibrationOptions& general);

// Throws kUsage when the options contradict each other or a range is missing, kModel for weights or ranges that are not
// finite, and kUsage when nothing can be quantized, saying why for the first nodes.
Plan plan(Model simplified, const Ranges& ranges, const StaticOptions& options, const Selection& selection);

Model write_qdq(const Plan& plan);
Model write_operators(const Plan& plan);
inline Model write_plan(const Plan& plan, QuantizedFormat format) {
  return format == QuantizedFormat::kQdq ? write_qdq(plan) : write_operators(plan);
}

// Fills in what became of the nodes, by their names, in the program of the model that was written, which policy exact
// made. Where that is not what was planned, the reason becomes the program's.
void set_computed(std::vector<NodeVerdict>& report, const Program& program);

// A warning that names the nodes of a settled report that were to stay float and are computed in integers all the same,
// which happens between quantized neighbours; empty where there are none.
std::string unheeded_exclusions(const std::vector<NodeVerdict>& report);

}  // namespace octet
