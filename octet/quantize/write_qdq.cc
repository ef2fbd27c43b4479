// write_qdq.cc: a plan as float operators between QuantizeLinear and DequantizeLinear.
//
// Every 8-bit tensor T is written once: T, QuantizeLinear, T_QuantizeLinear_Output, DequantizeLinear,
// T_DequantizeLinear_Output; all its consumers read the last. Weights W are stored as W_quantized in front of a
// DequantizeLinear, biases as int32 with scale x_scale * w_scale.
#include "octet/graph/rename.h"
#include "octet/quantize/plan.h"
#include "octet/quantize/writer.h"

namespace octet {
namespace {

class QdqWriter {
 public:
  explicit QdqWriter(const Plan& plan) : plan_(plan), writer_(plan) {
    for (const Value& output : plan.model.graph.outputs) graph_outputs_.insert(output.name);
  }

  Model run() {
    for (const auto& [tensor, parameters] : plan_.activations)
      if (is_activation(tensor)) writer_.add_parameters(tensor, parameters);
    for (const auto& [tensor, values] : plan_.constants)
      reads_[tensor] = write_constant(tensor, plan_.activations.at(tensor), values);
    for (const Value& input : plan_.model.graph.inputs)
      if (is_activation(input.name)) insert_pair(input.name, input.name);
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i) write_node(i);
    return writer_.finish();
  }

 private:
  bool is_activation(const std::string& tensor) const {
    return plan_.activations.contains(tensor) && !plan_.constants.contains(tensor);
  }
  // A graph output keeps its name on the dequantized side.
  std::string read_name(const std::string& tensor) const {
    return graph_outputs_.contains(tensor) ? tensor : tensor + "_DequantizeLinear_Output";
  }

  void insert_pair(const std::string& tensor, const std::string& produced_as) {
    writer_.add_quantize(tensor, produced_as, tensor + "_QuantizeLinear_Output");
    writer_.add_dequantize(tensor, tensor + "_QuantizeLinear_Output", read_name(tensor));
    reads_[tensor] = read_name(tensor);
  }

  void write_node(std::size_t i) {
    Node node = plan_.model.graph.nodes[i];
    const PlannedNode& planned = plan_.nodes[i];
    const Node original = node;
    rename_reads(node, reads_);
    if (planned.weights)
      node.inputs[1] = write_constant(original.inputs[1], planned.weights->parameters, planned.weights->values);
    if (planned.bias) node.inputs[2] = write_bias(original.inputs[2], planned);
    std::vector<std::string> pairs;
    for (std::string& output : node.outputs) {
      if (!is_activation(output)) continue;
      pairs.push_back(output);
      if (graph_outputs_.contains(output)) output += "_QuantizeLinear_Input";
    }
    writer_.add_node(std::move(node));
    for (const std::string& tensor : pairs)
      insert_pair(tensor, graph_outputs_.contains(tensor) ? tensor + "_QuantizeLinear_Input" : tensor);
  }

  // Stores a constant as integers behind a DequantizeLinear; returns the name to read.
  std::string write_constant(const std::string& name, const Parameters& parameters, const Tensor& values) {
    const std::string key = unique(name, parameters);
    if (written_.insert(key).second) {
      writer_.add_parameters(key, parameters);
      writer_.add_constant(key + "_quantized", values);
      writer_.add_dequantize(key, key + "_quantized", key + "_DequantizeLinear_Output", parameters.axis);
    }
    return key + "_DequantizeLinear_Output";
  }

  std::string write_bias(const std::string& name, const PlannedNode& planned) {
    const Parameters& weights = planned.weights->parameters;
    const Parameters parameters{.dtype = DType::kInt32,
                                .scales = planned.bias->scales,
                                .zero_points = std::vector<std::int32_t>(planned.bias->scales.size(), 0),
                                .axis = weights.axis ? std::optional<std::int64_t>(0) : std::nullopt};
    return write_constant(name, parameters, planned.bias->values);
  }

  // A constant that nodes quantize differently is stored once for each.
  std::string unique(const std::string& name, const Parameters& parameters) {
    std::string key = name;
    for (auto it = parameters_.find(key); it != parameters_.end() && it->second != parameters;
         it = parameters_.find(key))
      key += "_";
    parameters_[key] = parameters;
    return key;
  }

  const Plan& plan_;
  Writer writer_;
  std::set<std::string> graph_outputs_, written_;
  std::map<std::string, std::string> reads_;
  std::map<std::string, Parameters> parameters_;
};

}  // namespace

Model write_qdq(const Plan& plan) { return QdqWriter(plan).run(); }

}  // namespace octet
