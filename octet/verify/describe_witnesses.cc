#include "octet/verify/describe_witnesses.h"

#include <string>

#include "octet/analyze/explain.h"
#include "octet/analyze/explanation.h"

namespace octet {
namespace {

std::string saturation_note(const Explanation& explanation) {
  for (const ExplainedOperation& operation : explanation.operations)
    for (const Alternative& alternative : operation.alternatives)
      if (alternative.rule == kSaturatingPairs) return alternative.note;
  return "";
}

}  // namespace

DescribeWitness describe_witnesses(const Engine& engine, std::size_t width) {
  return [&engine, width](Witness& witness, const NamedTensors& inputs, bool first) {
    if (!first && !witness.saturated) return;
    const Explanation explanation =
        explain_element(engine.program(), witness.step, witness.tensor, witness.index, inputs);
    if (witness.saturated) witness.note = saturation_note(explanation);
    if (first) witness.explanation = explanation_text(explanation, {.width = width});
  };
}

}  // namespace octet
