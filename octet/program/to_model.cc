#include <set>

#include "octet/graph/rewrite/rewrite.h"
#include "octet/program/lower.h"

namespace octet {

Model to_model(const Program& program) {
  Model model;
  model.ir_version = program.ir_version;
  model.opset_imports = program.opset_imports;
  model.producer_name = "octet";
  model.graph.name = program.name;
  const auto name_of = [&](ValueId value) { return value == kNoValue ? std::string() : program.values[value].name; };
  std::set<std::string> names;
  const auto new_name = [&](std::string name) {
    while (!names.insert(name).second) name += "_";
    return name;
  };
  for (const Step& step : program.steps)
    for (const Operation& operation : step.operations) {
      Node node{.name = new_name(step.name),
                .op_type = std::string(operation.op->name),
                .domain = std::string(operation.op->domain),
                .attributes = operation.attributes};
      for (const ValueId input : operation.inputs) node.inputs.push_back(name_of(input));
      for (const ValueId output : operation.outputs) node.outputs.push_back(name_of(output));
      model.graph.nodes.push_back(std::move(node));
    }
  for (const ProgramInput& input : program.inputs)
    model.graph.inputs.push_back({.name = name_of(input.value), .type = input.type});
  for (const ValueId output : program.outputs) {
    const ProgramValue& value = program.values[output];
    Value declared{.name = value.name};
    declared.type.dtype = value.dtype;
    declared.type.shape = value.shape;
    model.graph.outputs.push_back(std::move(declared));
  }
  for (const ProgramValue& value : program.values)
    if (!value.constant.empty()) model.graph.initializers.push_back({.name = value.name, .tensor = value.constant});
  return remove_unused(std::move(model));
}

}  // namespace octet
