#include <fmt/format.h>

#include <unordered_map>

#include "octet/quantize/plan.h"

namespace octet {

void set_computed(std::vector<NodeVerdict>& report, const Program& program) {
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

std::string unheeded_exclusions(const std::vector<NodeVerdict>& report) {
  std::string names;
  std::size_t count = 0;
  for (const NodeVerdict& verdict : report)
    if (!verdict.choice.quantize && verdict.computed == Computed::kInteger) {
      names += (names.empty() ? "" : ", ") + verdict.name;
      ++count;
    }
  if (count == 0) return "";
  return fmt::format("{} to stay float {} computed in integers all the same, because what {} quantized: {}",
                     count == 1 ? "1 node that was" : fmt::format("{} nodes that were", count),
                     count == 1 ? "is" : "are", count == 1 ? "it reads and makes is" : "they read and make is", names);
}

}  // namespace octet
