#include "octet/quantize/writer.h"

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/quantize/rules.h"
#include "octet/version.h"

namespace octet {
namespace {

Tensor integers(const std::vector<std::int32_t>& values, bool scalar, DType dtype) {
  const auto count = static_cast<std::int64_t>(values.size());
  return convert(Tensor::from<std::int32_t>(scalar ? Shape{} : Shape{count}, std::span<const std::int32_t>(values)),
                 dtype);
}

Tensor reals(const std::vector<float>& values, bool scalar) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::from<float>(scalar ? Shape{} : Shape{count}, std::span<const float>(values));
}

std::string domain_for(const Plan& plan) {
  const int opset = plan.model.opset("");
  if (opset < 10) fail(ErrorCode::kUsage, "the model's opset is {}; QuantizeLinear exists from opset 10 on", opset);
  bool per_channel = false;
  for (const PlannedNode& node : plan.nodes)
    per_channel = per_channel || (node.weights && node.weights->parameters.axis);
  const bool wide = std::any_of(plan.activations.begin(), plan.activations.end(),
                                [](const auto& activation) { return bits(activation.second.dtype) > 8; });
  const bool standard = wide ? opset >= 21 : opset >= 13 || !per_channel;
  return standard ? "" : kMicrosoft;
}

}  // namespace

Writer::Writer(const Plan& plan)
    : quantize_domain_(domain_for(plan)), model_(plan.model), names_(plan.model.graph), unclamped_(plan.unclamped) {
  for (const auto& [result, before] : unclamped_) names_.take(before);
  for (const Value& output : model_.graph.outputs) graph_outputs_.insert(output.name);
  model_.graph.nodes.clear();
  model_.graph.value_info.clear();
  model_.producer_name = "octet";
  model_.producer_version = kVersion;
}

std::string Writer::made_as(const std::string& tensor, std::string_view role) {
  if (const auto before = unclamped_.find(tensor); before != unclamped_.end()) return before->second;
  return graph_outputs_.contains(tensor) ? name(tensor, role) : tensor;
}

void Writer::add_constant(const std::string& name, Tensor tensor) {
  if (constants_.insert(name).second) model_.graph.initializers.push_back({.name = name, .tensor = std::move(tensor)});
}

void Writer::add_parameters(const std::string& tensor, const Parameters& parameters) {
  const bool scalar = !parameters.axis;
  add_constant(name(tensor, "_scale"), reals(parameters.scales, scalar));
  add_constant(name(tensor, "_zero_point"), integers(parameters.zero_points, scalar, parameters.dtype));
}

void Writer::add_quantize(const std::string& tensor, const std::string& input, const std::string& output) {
  add_node({.name = name(tensor, "_QuantizeLinear"),
            .op_type = "QuantizeLinear",
            .domain = quantize_domain_,
            .inputs = {input, name(tensor, "_scale"), name(tensor, "_zero_point")},
            .outputs = {output}});
}

void Writer::add_dequantize(const std::string& tensor, const std::string& input, const std::string& output,
                            std::optional<std::int64_t> axis) {
  Node node{.name = name(tensor, "_DequantizeLinear"),
            .op_type = "DequantizeLinear",
            .domain = quantize_domain_,
            .inputs = {input, name(tensor, "_scale"), name(tensor, "_zero_point")},
            .outputs = {output}};
  if (axis) node.attributes.set("axis", *axis);
  add_node(std::move(node));
}

std::string Writer::stored_as(const std::string& constant, const Parameters& parameters) {
  std::vector<Parameters>& known = stored_[constant];
  const auto it = std::find(known.begin(), known.end(), parameters);
  const auto index = it - known.begin();
  if (it == known.end()) known.push_back(parameters);
  return index == 0 ? constant : name(constant, fmt::format("_{}", index + 1));
}

std::string Writer::add_dequantized_constant(const std::string& constant, const Parameters& parameters,
                                             const Tensor& values) {
  const std::string key = stored_as(constant, parameters);
  const std::string output = name(key, "_DequantizeLinear_Output");
  if (dequantized_.insert(key).second) {
    add_parameters(key, parameters);
    add_constant(name(key, "_quantized"), values);
    add_dequantize(key, name(key, "_quantized"), output, parameters.axis);
  }
  return output;
}

void Writer::read_dequantized(Node& node, const PlannedNode& planned) {
  if (planned.weights)
    node.inputs[1] = add_dequantized_constant(node.inputs[1], planned.weights->parameters, planned.weights->values);
  if (!planned.bias) return;
  const bool per_channel = planned.weights && planned.weights->parameters.axis;
  const Parameters bias{.dtype = DType::kInt32,
                        .scales = planned.bias->scales,
                        .zero_points = std::vector<std::int32_t>(planned.bias->scales.size(), 0),
                        .axis = per_channel ? std::optional<std::int64_t>(0) : std::nullopt};
  node.inputs[2] = add_dequantized_constant(node.inputs[2], bias, planned.bias->values);
}

Model Writer::finish() {
  bool microsoft = false;
  for (const Node& node : model_.graph.nodes) microsoft = microsoft || node.domain == kMicrosoft;
  if (microsoft && model_.opset(kMicrosoft) == 0) model_.opset_imports.emplace_back(kMicrosoft, 1);
  return remove_unused(std::move(model_));
}

}  // namespace octet
