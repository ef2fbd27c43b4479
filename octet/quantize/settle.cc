#include <unordered_map>

#include "octet/quantize/plan.h"

namespace octet {

void settle(std::vector<NodeVerdict>& report, const Program& program) {
  std::unordered_map<std::string_view, const Step*> steps;
  for (const Step& step : program.steps)
    if (step.kind != StepKind::kQuantize && step.kind != StepKind::kDequantize) steps.emplace(step.name, &step);
  for (NodeVerdict& verdict : report) {
    const auto found = steps.find(verdict.name);
    if (found == steps.end()) {
      verdict.computed = Computed::kMerged;
      continue;
    }
    verdict.computed = is_quantized(found->second->kind) ? Computed::kInteger : Computed::kFloat;
    if (verdict.quantized != (verdict.computed == Computed::kInteger) && !found->second->reason.empty())
      verdict.reason = found->second->reason;
  }
}

}  // namespace octet
