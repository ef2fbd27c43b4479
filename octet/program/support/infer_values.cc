#include <algorithm>

#include "octet/base/error.h"
#include "octet/graph/apply_rule.h"
#include "octet/program/support/resolving.h"

namespace octet {
namespace {

// A number wins over a symbol, and anything over what is not known.
void learn(ProgramValue& value, const Fact& fact) {
  if (fact.dtype != DType::kUndefined) value.dtype = fact.dtype;
  if (!fact.shape) return;
  if (!value.shape || value.shape->size() != fact.shape->size()) {
    value.shape = fact.shape;
    return;
  }
  for (std::size_t d = 0; d < fact.shape->size(); ++d) {
    Dim& dim = (*value.shape)[d];
    const Dim& found = (*fact.shape)[d];
    if (found.known() || (found.is_symbol() && !dim.known())) dim = found;
  }
}

Fact fact_of(const ProgramValue& value) {
  if (!value.constant.empty()) return Fact::of(value.constant);
  return {value.dtype, value.shape, {}, {}};
}

}  // namespace

InferredValues infer_values(Program& program) {
  InferredValues inferred;
  RuleApplier rules;
  std::vector<Fact> facts;
  for (const ProgramValue& value : program.values) facts.push_back(fact_of(value));
  for (std::size_t s = 0; s < program.steps.size(); ++s)
    for (const Operation& operation : program.steps[s].operations) {
      std::vector<Fact> inputs;
      for (const ValueId input : operation.inputs) inputs.push_back(input == kNoValue ? Fact() : facts[input]);
      const bool known = std::none_of(operation.inputs.begin(), operation.inputs.end(), [&](ValueId input) {
        return input != kNoValue && facts[input].dtype == DType::kUndefined;
      });
      if (!known) continue;
      std::vector<Fact> outputs;
      try {
        outputs = rules.apply(*operation.op, operation.opset, operation.attributes, inputs, operation.outputs.size());
      } catch (const Error& error) {
        inferred.refused.emplace(s, error.what());
        continue;
      }
      for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
        const ValueId output = operation.outputs[i];
        if (output == kNoValue) continue;
        learn(program.values[output], outputs[i]);
        Fact& fact = facts[output];
        fact.constant = std::move(outputs[i].constant);
        fact.elements = std::move(outputs[i].elements);
        fact.dtype = program.values[output].dtype;
        fact.shape = program.values[output].shape;
      }
    }
  for (Fact& fact : facts) inferred.known.push_back(std::move(fact.constant));
  return inferred;
}

}  // namespace octet
