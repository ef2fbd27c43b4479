#include "octet/inspect/support/program_forms.h"

#include <algorithm>

#include "octet/graph/infer.h"
#include "octet/inspect/support/node_labels.h"
#include "octet/inspect/support/quantization.h"
#include "octet/program/lower.h"

namespace octet {
namespace {

// Which steps that count do a node's work, or part of it.
struct NodeWork {
  bool in_float = false, in_integers = false;
  bool on_integers = false;  // in a step that a quantized operator of the file became
};

bool reads_floats(const Node& node, const ModelIndex& index) {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
    const Fact* fact = index.fact(input);
    const Origin origin = index.origin(input);
    return fact && origin != Origin::kInitializer && origin != Origin::kConstant && is_float(fact->dtype);
  });
}

Form form_of(const Node& node, const NodeWork& work, const ModelIndex& index) {
  if (is_conversion(node)) return Form::kConversion;
  if (work.in_float) return Form::kFloat;
  if (!work.in_integers) return Form::kOther;
  return work.on_integers || !reads_floats(node, index) ? Form::kInteger : Form::kQdq;
}

}  // namespace

ProgramForms program_forms(const ModelIndex& index) {
  const std::vector<Node>& nodes = index.model().graph.nodes;
  // The nodes' notes say what the file declares wrongly; engines use the computed facts.
  const Program program = lower(correct_shapes(index.model(), [](const Error&) {}), Policy::kExact);
  const std::vector<bool> computing = computing_steps(program);
  const NodeLabels labels(nodes);
  std::vector<NodeWork> work(nodes.size());
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    if (!computing[s]) continue;
    const Step& step = program.steps[s];
    std::vector<std::size_t> sources;
    for (const SourceNode& source : step.sources)
      for (const std::size_t node : labels.find(source.name)) sources.push_back(node);
    const bool on_integers =
        std::any_of(sources.begin(), sources.end(), [&](std::size_t i) { return is_quantized_operator(nodes[i]); });
    for (const std::size_t node : sources) {
      (is_quantized(step.kind) ? work[node].in_integers : work[node].in_float) = true;
      work[node].on_integers = work[node].on_integers || on_integers;
    }
  }
  ProgramForms result{.share = quantized_share(program), .forms = {}};
  for (std::size_t i = 0; i < nodes.size(); ++i) result.forms.push_back(form_of(nodes[i], work[i], index));
  return result;
}

}  // namespace octet
