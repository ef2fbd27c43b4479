#include <algorithm>

#include "octet/base/error.h"
#include "octet/graph/apply_rule.h"
#include "octet/program/support/resolving.h"
#include "octet/program/support/subprogram.h"

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

class ValueInferrer {
 public:
  ValueInferrer(Program& program, RuleApplier& rules) : program_(program), rules_(rules) {
    for (const ProgramValue& value : program.values) facts_.push_back(fact_of(value));
  }

  void know(ValueId value, Fact fact) { facts_[value] = std::move(fact); }
  std::vector<Fact>& facts() { return facts_; }

  // By step: why its rule does not hold.
  std::map<std::size_t, std::string> run() {
    std::map<std::size_t, std::string> refused;
    for (std::size_t s = 0; s < program_.steps.size(); ++s)
      for (const Operation& operation : program_.steps[s].operations) {
        try {
          run(operation);
        } catch (const Error& error) {
          refused.emplace(s, error.what());
        }
      }
    return refused;
  }

 private:
  void run(const Operation& operation) {
    std::vector<Fact> inputs;
    for (const ValueId input : operation.inputs) inputs.push_back(input == kNoValue ? Fact() : facts_[input]);
    const bool known = std::none_of(
        operation.inputs.begin(), operation.inputs.begin() + static_cast<std::ptrdiff_t>(own_inputs(operation)),
        [&](ValueId input) { return input != kNoValue && facts_[input].dtype == DType::kUndefined; });
    if (!known) return;
    const Bodies bodies = bodies_of(operation, inputs);
    const std::vector<Fact> own(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(own_inputs(operation)));
    std::vector<Fact> outputs =
        rules_.apply(*operation.op, operation.opset, operation.attributes, own, operation.outputs.size(), bodies);
    for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
      const ValueId output = operation.outputs[i];
      if (output == kNoValue) continue;
      learn(program_.values[output], outputs[i]);
      Fact& fact = facts_[output];
      fact.constant = std::move(outputs[i].constant);
      fact.elements = std::move(outputs[i].elements);
      fact.dtype = program_.values[output].dtype;
      fact.shape = program_.values[output].shape;
    }
  }

  // `inputs` are the operation's, and live as long as what is returned.
  Bodies bodies_of(const Operation& operation, const std::vector<Fact>& inputs) {
    Bodies bodies;
    for (const Subprogram& graph : operation.graphs) {
      Body body = declared_body(graph);
      body.infer = [this, &graph, &inputs](const std::vector<Fact>& given) { return infer(graph, given, inputs); };
      bodies.emplace(graph.attribute, std::move(body));
    }
    return bodies;
  }

  // What is wrong inside a graph is said when it runs: it may never.
  std::vector<Fact> infer(const Subprogram& graph, const std::vector<Fact>& given, const std::vector<Fact>& around) {
    Program program = values_and_operations(*graph.program);
    ValueInferrer inside(program, rules_);
    for (std::size_t i = 0; i < given.size(); ++i) inside.know(program.inputs[i].value, given[i]);
    for (std::size_t k = 0; k < graph.taken.size(); ++k)
      inside.know(program.inputs[given.size() + k].value, around[graph.taken[k]]);
    inside.run();
    std::vector<Fact> outputs;
    for (const ValueId output : program.outputs) outputs.push_back(inside.facts()[output]);
    return outputs;
  }

  // With nothing said of what operations make but its type: shapes follow from what is given.
  static Program values_and_operations(const Program& from) {
    Program program{.values = from.values, .inputs = from.inputs, .outputs = from.outputs};
    for (const Step& step : from.steps) {
      program.steps.push_back({.operations = step.operations});
      for (const Operation& operation : step.operations)
        for (const ValueId output : operation.outputs)
          if (output != kNoValue) program.values[output].shape.reset();
    }
    return program;
  }

  Program& program_;
  RuleApplier& rules_;
  std::vector<Fact> facts_;
};

}  // namespace

InferredValues infer_values(Program& program) {
  InferredValues inferred;
  RuleApplier rules;
  ValueInferrer values(program, rules);
  inferred.refused = values.run();
  for (Fact& fact : values.facts()) inferred.known.push_back(std::move(fact.constant));
  return inferred;
}

}  // namespace octet
