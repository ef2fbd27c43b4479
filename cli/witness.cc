#include "cli/witness.h"

#include <fmt/core.h>

#include "cli/terminal.h"
#include "octet/analyze/explain.h"
#include "octet/analyze/explanation.h"

namespace octet::cli {

Verification with_notes(Verification found, const Engine& engine) {
  for (Witness& witness : found.witnesses) {
    if (!witness.saturated) continue;
    const Explanation explanation =
        explain_element(engine.program(), witness.step, witness.tensor, witness.index, witness.inputs);
    for (const ExplainedOperation& operation : explanation.operations)
      for (const Alternative& alternative : operation.alternatives)
        if (alternative.rule == kSaturatingPairs) witness.note = alternative.note;
  }
  return found;
}

std::string explanation_of(const Verification& found, const Engine& engine) {
  if (found.witnesses.empty()) return "";
  const Witness& first = found.witnesses.front();
  return fmt::format(
      "\n{}", explanation_text(explain_element(engine.program(), first.step, first.tensor, first.index, first.inputs),
                               {.width = terminal_width()}));
}

}  // namespace octet::cli
