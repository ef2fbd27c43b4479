#include "cli/witness.h"

#include "cli/terminal.h"
#include "octet/analyze/explain.h"
#include "octet/analyze/explanation.h"

namespace octet::cli {

std::string explanation_of(const Verification& found, const ReferenceEngine& engine) {
  if (found.witnesses.empty()) return "";
  const Witness& first = found.witnesses.front();
  return "\n" + explanation_text(explain_element(engine.program(), first.step, first.tensor, first.index, first.inputs),
                                 {.width = terminal_width()});
}

}  // namespace octet::cli
