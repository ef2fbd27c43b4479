#include <algorithm>
#include <set>

#include "octet/graph/rewrite/rewrite.h"
#include "octet/program/lower.h"
#include "octet/program/support/sum_layout.h"

namespace octet {
namespace {

Tensor plus_128(const Tensor& from) {
  Tensor to(DType::kUint8, from.shape());
  for (std::int64_t k = 0; k < from.size(); ++k)
    to.mutable_as<std::uint8_t>()[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(from.int_at(k) + 128);
  return to;
}

// Exchanges the weights of one node and their zero points.
void make_weights_unsigned(const Program& program, const Operation& operation, Node& node, Graph& graph) {
  const SumLayout* layout = find_sum_layout(operation.op->name);
  // ConvInteger's weights are the other operand of the instruction: u8 x s8 is exact there.
  if (!layout || operation.op->name == "ConvInteger") return;
  const auto x = static_cast<std::size_t>(layout->x), w = static_cast<std::size_t>(layout->w),
             zero_point = static_cast<std::size_t>(layout->w_zero_point);
  const ProgramValue& weights = program.values[operation.inputs[w]];
  // DynamicQuantizeMatMul makes uint8 of its float input.
  if (program.values[operation.inputs[x]].dtype == DType::kInt8 || weights.dtype != DType::kInt8 ||
      weights.constant.empty())
    return;
  const bool given = zero_point < operation.inputs.size() && operation.inputs[zero_point] != kNoValue;
  if (given && program.values[operation.inputs[zero_point]].constant.empty()) return;
  const auto add = [&](std::string name, const Tensor& tensor) {
    while (find_value(program, name)) name += "_";
    if (!find_initializer(graph, name)) graph.initializers.push_back({.name = name, .tensor = plus_128(tensor)});
    return name;
  };
  node.inputs.resize(std::max(node.inputs.size(), zero_point + 1));
  node.inputs[w] = add(weights.name + "_unsigned", weights.constant);
  node.inputs[zero_point] =
      given ? add(node.inputs[zero_point] + "_unsigned", program.values[operation.inputs[zero_point]].constant)
            : add("zero_point_128", Tensor(DType::kInt8, {}));
}

}  // namespace

Model to_model(const Program& program, const WriteOptions& options) {
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
      if (options.unsigned_weights) make_weights_unsigned(program, operation, node, model.graph);
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
  for (const ProgramInput& input : program.inputs)
    if (!input.default_value.empty())
      model.graph.initializers.push_back({.name = name_of(input.value), .tensor = input.default_value});
  for (const ProgramValue& value : program.values)
    if (!value.constant.empty()) model.graph.initializers.push_back({.name = value.name, .tensor = value.constant});
  return remove_unused(std::move(model));
}

}  // namespace octet
