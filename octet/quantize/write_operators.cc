// write_operators.cc: a plan as operators on integers.
//
// The integers of an 8-bit tensor T are T_quantized. Where a float operator or a graph output needs T itself, one
// DequantizeLinear makes it; where a float operator or a graph input makes T, one QuantizeLinear follows.
#include "octet/graph/index.h"
#include "octet/graph/lookup.h"
#include "octet/graph/rename.h"
#include "octet/quantize/clamp.h"
#include "octet/quantize/plan.h"
#include "octet/quantize/writer.h"
#include "octet/spec/softmax_axis.h"

namespace octet {
namespace {

class OperatorWriter {
 public:
  explicit OperatorWriter(const Plan& plan) : plan_(plan), writer_(plan) {
    for (const Value& input : plan.model.graph.inputs) graph_inputs_.insert(input.name);
    for (const Value& output : plan.model.graph.outputs) graph_outputs_.insert(output.name);
  }

  Model run() {
    for (const auto& [tensor, parameters] : plan_.activations) writer_.add_parameters(tensor, parameters);
    for (const auto& [tensor, values] : plan_.constants) writer_.add_constant(integers_of(tensor), values);
    for (const Value& input : plan_.model.graph.inputs)
      if (is_activation(input.name)) writer_.add_quantize(input.name, input.name, integers_of(input.name));
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
      if (written_.contains(i)) continue;
      if (has_integer_form(i))
        write_integer_node(i);
      else
        write_float_node(i);
    }
    return writer_.finish();
  }

 private:
  bool is_activation(const std::string& tensor) const {
    return plan_.activations.contains(tensor) && !plan_.constants.contains(tensor);
  }
  const Node& node(std::size_t i) const { return plan_.model.graph.nodes[i]; }
  std::string scale_of(const std::string& tensor) { return writer_.name(tensor, "_scale"); }
  std::string zero_point_of(const std::string& tensor) { return writer_.name(tensor, "_zero_point"); }
  std::string integers_of(const std::string& tensor) { return writer_.name(tensor, "_quantized"); }

  bool has_integer_form(std::size_t i) const {
    const PlannedNode& planned = plan_.nodes[i];
    if (!planned.rule || !planned.rule->integer_op) return false;
    // Clip takes 8-bit integers from opset 12 on.
    return !planned.clamp || plan_.model.opset("") >= 12;
  }

  // ---- float

  // The float value of an 8-bit tensor, made once. A graph output keeps its name, unless it is an input too.
  std::string dequantized(const std::string& tensor) {
    const auto [it, is_new] = floats_.try_emplace(tensor);
    if (is_new) {
      it->second = graph_outputs_.contains(tensor) && !graph_inputs_.contains(tensor)
                       ? tensor
                       : writer_.name(tensor, "_dequantized");
      writer_.add_dequantize(tensor, integers_of(tensor), it->second);
    }
    return it->second;
  }

  void write_float_node(std::size_t i) {
    Node result = node(i);
    writer_.read_dequantized(result, plan_.nodes[i]);
    std::map<std::string, std::string> reads;
    for (const std::string& input : values_read(node(i)))
      if (plan_.activations.contains(input)) reads[input] = dequantized(input);
    rename_reads(result, reads);
    std::vector<std::pair<std::string, std::string>> made;  // tensor, the name under which the node makes it
    for (std::string& output : result.outputs) {
      if (!is_activation(output)) continue;
      const std::string tensor = output;
      output = writer_.made_as(tensor, "_unquantized");
      made.emplace_back(tensor, output);
    }
    writer_.add_node(std::move(result));
    for (const auto& [tensor, output] : made) {
      writer_.add_quantize(tensor, output, integers_of(tensor));
      publish(tensor);
    }
  }

  // A graph output is the dequantized tensor.
  void publish(const std::string& tensor) {
    if (graph_outputs_.contains(tensor)) dequantized(tensor);
  }

  // ---- integers

  void write_integer_node(std::size_t i) {
    const PlannedNode& planned = plan_.nodes[i];
    const Node& source = node(i);
    const std::string& result = planned.clamp ? node(*planned.clamp).outputs[0] : source.outputs[0];
    const std::string integers = planned.clamp ? writer_.name(result, "_unclamped") : integers_of(result);

    Node target = source;
    target.op_type = std::string(planned.rule->integer_op->name);
    target.domain = std::string(planned.rule->integer_op->domain);
    target.outputs = {integers};
    if (planned.rule->kind == RuleKind::kMove)
      target.inputs[0] = integers_of(source.inputs[0]);
    else if (planned.rule->kind == RuleKind::kWeighted)
      target.inputs = weighted_inputs(source, planned, result);
    else
      target.inputs = elementwise_inputs(source, result);
    if (is(source, ops::kGemm)) target.attributes.erase("beta");  // it is in the bias
    if (is(source, ops::kSoftmax)) {
      const int opset = plan_.model.opset(source);
      target.attributes.set("axis", softmax_axis(source.attributes, opset).axis);
      target.attributes.set("opset", std::int64_t{opset});
    }
    if (is(source, ops::kGlobalAveragePool)) target.attributes.set("channels_last", std::int64_t{0});
    writer_.add_node(std::move(target));
    if (planned.clamp) write_clamp(*planned.clamp, integers);
    publish(result);
  }

  void append_operand(std::vector<std::string>& inputs, const std::string& tensor) {
    inputs.insert(inputs.end(), {integers_of(tensor), scale_of(tensor), zero_point_of(tensor)});
  }

  std::vector<std::string> elementwise_inputs(const Node& source, const std::string& result) {
    std::vector<std::string> inputs;
    if (is(source, ops::kConcat)) inputs = {scale_of(result), zero_point_of(result)};
    for (const std::string& input : source.inputs) append_operand(inputs, input);
    if (!is(source, ops::kConcat)) inputs.insert(inputs.end(), {scale_of(result), zero_point_of(result)});
    return inputs;
  }

  std::vector<std::string> weighted_inputs(const Node& source, const PlannedNode& planned, const std::string& result) {
    std::vector<std::string> inputs;
    append_operand(inputs, source.inputs[0]);
    if (planned.weights) {
      const std::string key = writer_.stored_as(source.inputs[1], planned.weights->parameters);
      writer_.add_parameters(key, planned.weights->parameters);
      writer_.add_constant(integers_of(key), planned.weights->values);
      append_operand(inputs, key);
    } else {
      append_operand(inputs, source.inputs[1]);
    }
    std::string bias;
    if (planned.bias) {
      bias = writer_.name(result, "_bias_quantized");
      writer_.add_constant(bias, planned.bias->values);
    }
    const bool bias_first = is(source, ops::kGemm);
    if (bias_first) inputs.push_back(bias);
    inputs.insert(inputs.end(), {scale_of(result), zero_point_of(result)});
    if (!bias_first && planned.bias) inputs.push_back(bias);
    return inputs;
  }

  // Quantization is monotone, so clamping before it is clamping the integers at the quantized bounds after it.
  void write_clamp(std::size_t i, const std::string& integers) {
    const Node& clamp = node(i);
    const std::string& result = clamp.outputs[0];
    const ClampBounds bounds = clamp_bounds(plan_.model, clamp);
    Node target{.name = clamp.name, .op_type = "Clip", .inputs = {integers}, .outputs = {integers_of(result)}};
    const auto add_bound = [&](const std::optional<float>& bound, const char* role) {
      target.inputs.push_back(bound ? writer_.name(result, role) : "");
      if (bound) writer_.add_constant(target.inputs.back(), quantized_bound(result, *bound));
    };
    add_bound(bounds.low, "_quantized_min");
    if (bounds.high) add_bound(bounds.high, "_quantized_max");
    writer_.add_node(std::move(target));
    written_.insert(i);
  }

  Tensor quantized_bound(const std::string& tensor, float bound) const {
    return quantize_constant(Tensor::scalar(bound), plan_.activations.at(tensor));
  }

  const Plan& plan_;
  Writer writer_;
  std::set<std::string> graph_inputs_, graph_outputs_;
  std::set<std::size_t> written_;
  std::map<std::string, std::string> floats_;
};

}  // namespace

Model write_operators(const Plan& plan) { return OperatorWriter(plan).run(); }

}  // namespace octet
