#include "octet/program/support/build.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "octet/base/fail.h"
#include "octet/graph/index.h"
#include "octet/graph/infer.h"
#include "octet/graph/lookup.h"
#include "octet/program/computable.h"
#include "octet/program/quantized_share.h"
#include "octet/program/resolve.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

// The share of the subgraphs that a step runs, nested ones included.
QuantizedShare share_inside(const Step& step) {
  QuantizedShare all;
  for (const Operation& operation : step.operations)
    for (const Subprogram& graph : operation.graphs) {
      const auto add = [&](const QuantizedShare& share) {
        all.quantized += share.quantized;
        all.computing += share.computing;
      };
      add(quantized_share(*graph.program));
      for (const Step& inner : graph.program->steps) add(share_inside(inner));
    }
  return all;
}

class Builder {
 public:
  // `file` are the nodes that the steps' sources count.
  Builder(const Model& model, const std::vector<Node>& file, const BuildGraph& build_graph)
      : model_(model), file_(file), build_graph_(build_graph), facts_(infer(model, [](const Error&) {})) {
    const Graph& graph = model.graph;
    program_.name = graph.name;
    program_.ir_version = model.ir_version;
    program_.opset_imports = model.opset_imports;
    for (const Value& input : graph.inputs) program_.inputs.push_back({id(input.name), input.type, {}});
    for (const Initializer& initializer : graph.initializers) {
      const auto input = std::find_if(program_.inputs.begin(), program_.inputs.end(), [&](const ProgramInput& i) {
        return program_.values[i.value].name == initializer.name;
      });
      if (input != program_.inputs.end()) {
        input->default_value = initializer.tensor;
        continue;
      }
      ProgramValue& value = program_.values[id(initializer.name)];
      value.constant = initializer.tensor;
      value.dtype = initializer.tensor.dtype();
      value.shape = symbolic(initializer.tensor.shape());
    }
  }

  void add(const DraftStep& draft) {
    Step step{.kind = draft.kind, .name = draft.name, .reason = draft.reason, .warnings = draft.warnings};
    for (const Node& node : draft.nodes) {
      try {
        Operation operation{&computable_operator(model_, node), model_.opset(node), node.attributes, {}, {}};
        for (const std::string& input : node.inputs) operation.inputs.push_back(id(input));
        for (const std::string& output : node.outputs) operation.outputs.push_back(id(output));
        for (const auto& [attribute, graphs] : node.subgraphs)
          for (const Graph& graph : graphs.graphs) add_graph(operation, attribute, graph);
        step.operations.push_back(std::move(operation));
      } catch (const Error& error) {
        throw error.at(describe(node));
      }
    }
    if (const QuantizedShare inside = share_inside(step); inside.computing > 0 && !step.reason.empty())
      step.reason += fmt::format("; {} inside its graphs are quantized", to_string(inside));
    for (const std::size_t source : draft.sources) {
      const Node& node = file_[source];
      step.sources.push_back(
          {!node.name.empty() || node.outputs.empty() ? node.name : node.outputs.front(), node.op_type});
    }
    if (step.kind == StepKind::kOther) step.kind = kind_alone(program_, step.operations.front());
    program_.steps.push_back(std::move(step));
  }

  void set_meaning(const std::string& value, const Quantization& meaning) {
    if (const auto known = ids_.find(value); known != ids_.end()) program_.values[known->second].declared = meaning;
  }

  Program finish() && {
    for (const Value& output : model_.graph.outputs) program_.outputs.push_back(id(output.name));
    resolve(program_);
    return std::move(program_);
  }

 private:
  void add_graph(Operation& operation, const std::string& attribute, const Graph& graph) {
    Model body{.ir_version = model_.ir_version, .opset_imports = model_.opset_imports, .graph = graph};
    for (Value& input : body.graph.inputs) input.type.shape.reset();
    Subprogram subprogram{.attribute = attribute};
    const auto first_taken = static_cast<std::ptrdiff_t>(own_inputs(operation));
    for (const std::string& name : values_taken(graph)) {
      const ValueId value = id(name);
      if (const Tensor& constant = program_.values[value].constant; !constant.empty()) {
        body.graph.initializers.push_back({.name = name, .tensor = constant});
        continue;
      }
      const auto input = std::find(operation.inputs.begin() + first_taken, operation.inputs.end(), value);
      subprogram.taken.push_back(static_cast<std::size_t>(input - operation.inputs.begin()));
      if (input == operation.inputs.end()) {
        operation.inputs.push_back(value);
        ++operation.taken;
      }
      Value taken{.name = name};
      taken.type.dtype = program_.values[value].dtype;
      taken.type.shape = program_.values[value].shape;
      body.graph.inputs.push_back(std::move(taken));
    }
    Program program = build_graph_(std::move(body));
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) program.inputs[i].type.shape = graph.inputs[i].type.shape;
    subprogram.program = std::make_shared<const Program>(std::move(program));
    operation.graphs.push_back(std::move(subprogram));
  }

  ValueId id(const std::string& name) {
    if (name.empty()) return kNoValue;
    const auto [it, is_new] = ids_.emplace(name, program_.values.size());
    if (is_new) {
      ProgramValue value{.name = name};
      if (const auto fact = facts_.find(name); fact != facts_.end()) {
        value.dtype = fact->second.dtype;
        value.shape = fact->second.shape;
      }
      program_.values.push_back(std::move(value));
    }
    return it->second;
  }

  const Model& model_;
  const std::vector<Node>& file_;
  const BuildGraph& build_graph_;
  const Facts facts_;
  Program program_;
  std::unordered_map<std::string, ValueId> ids_;
};

}  // namespace

Program build_program(Model model, const BuildGraph& build_graph) {
  Builder builder(model, model.graph.nodes, build_graph);
  for (std::size_t i = 0; i < model.graph.nodes.size(); ++i) {
    const Node& node = model.graph.nodes[i];
    const std::string name = !node.name.empty() || node.outputs.empty() ? node.name : node.outputs.front();
    builder.add({.name = name, .nodes = {node}, .sources = {i}});
  }
  return std::move(builder).finish();
}

Program build_program(Draft draft, const BuildGraph& build_graph) {
  const std::vector<DraftStep> steps = draft.take_steps();
  Model model = draft.take_model();
  if (model.opset("com.microsoft") == 0) model.opset_imports.emplace_back("com.microsoft", 1);
  const std::vector<Node> file = std::move(model.graph.nodes);
  model.graph.nodes.clear();
  for (const DraftStep& step : steps)
    model.graph.nodes.insert(model.graph.nodes.end(), step.nodes.begin(), step.nodes.end());
  model.graph.value_info.clear();  // what it says of the values that are left, inference says too
  Builder builder(model, file, build_graph);
  for (const DraftStep& step : steps) builder.add(step);
  for (const auto& [value, meaning] : draft.meanings()) builder.set_meaning(value, meaning);
  return std::move(builder).finish();
}

}  // namespace octet
