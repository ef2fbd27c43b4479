// selection.h: which nodes a user wants quantized, and how.
//
// Rules are an ordered list in JSON; the first that matches a node decides, and a node that none matches is decided by
// --op-types and --exclude:
//
//   [{"match": {"op_type": "MatMul", "name": "^layer[0-9]+/", "inputs": {"0": {"rank": ">=2", "type": "float32",
//               "dims": {"-1": "%32==0"}}}, "outputs": {...}},
//     "quantize": true, "per_channel": false, "symmetric_weights": true, "activations": "int16", "calibration": "mse"}]
//
// "name" is a regular expression (pattern.h) found anywhere in the node's name (its first output where it has none); negative
// indices count from the last dimension; a dimension that is not known matches nothing. Everything in "match" is
// optional.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octet/graph/infer.h"
#include "octet/graph/model.h"
#include "octet/quantize/calibrate.h"
#include "octet/quantize/parameters.h"
#include "octet/quantize/pattern.h"
#include "octet/quantize/predicate.h"

namespace octet {

struct NodeChoice {
  bool quantize = true;
  std::string reason;               // why not
  std::optional<bool> per_channel;  // overrides of the general options
  std::optional<bool> symmetric_weights;
  std::optional<DType> activations;  // of what the node reads and makes; the widest that is asked for a tensor counts
  std::optional<Range> range;        // of its result
  std::optional<Calibration> calibration;  // that finds the range of its result, where none is given
  std::optional<double> percentile;        // of that
};

struct ValueCondition {
  std::optional<Predicate> rank;
  std::optional<DType> dtype;
  std::map<std::int64_t, Predicate> dims;
};

struct NodeRule {
  std::optional<std::string> op_type;
  std::optional<Pattern> name;
  std::map<std::size_t, ValueCondition> inputs, outputs;
  NodeChoice choice;
};

// Throws kFormat when it is not JSON, and kUsage, saying which entry is wrong and how.
std::vector<NodeRule> parse_rules(std::string_view json);

class Selection {
 public:
  // Empty op_types: all. A node whose name matches one of `exclude` stays float.
  explicit Selection(std::vector<std::string> op_types = {}, const std::vector<std::string>& exclude = {},
                     std::vector<NodeRule> rules = {});

  NodeChoice choose(const Node& node, const Facts& facts) const;

  // Throws kUsage for an exclusion that no node's name matches: what it was to spare would be quantized.
  void require_exclusions(const Model& model) const;
  // What no node of the model matches: indices of rules, names of op types; for warnings. MatMul and Gemm are named together where
  // either will do.
  std::vector<std::string> unmatched(const Model& model, const Facts& facts) const;

 private:
  std::vector<std::string> op_types_;
  std::vector<Pattern> exclude_;
  std::vector<NodeRule> rules_;
};

// The name a node goes by in rules and reports: its own, or its first output's.
const std::string& name_of(const Node& node);

}  // namespace octet
