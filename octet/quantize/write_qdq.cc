// write_qdq.cc: a plan as float operators between QuantizeLinear and DequantizeLinear.
//
// Every 8-bit tensor T is written once: T, QuantizeLinear, T_QuantizeLinear_Output, DequantizeLinear,
// T_DequantizeLinear_Output; all its consumers read the last. A name of the float model means what it means there: where
// T is the result of a Relu that saturation makes needless, the first of the three is the Relu's input. Weights W are stored as W_quantized in front of a
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
      reads_[tensor] = writer_.add_dequantized_constant(tensor, plan_.activations.at(tensor), values);
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
  void insert_pair(const std::string& tensor, const std::string& produced_as) {
    const std::string integers = writer_.name(tensor, "_QuantizeLinear_Output");
    const bool published = graph_outputs_.contains(tensor) && produced_as != tensor;
    reads_[tensor] = published ? tensor : writer_.name(tensor, "_DequantizeLinear_Output");
    writer_.add_quantize(tensor, produced_as, integers);
    writer_.add_dequantize(tensor, integers, reads_.at(tensor));
  }

  void write_node(std::size_t i) {
    Node node = plan_.model.graph.nodes[i];
    writer_.read_dequantized(node, plan_.nodes[i]);
    rename_reads(node, reads_);
    std::vector<std::pair<std::string, std::string>> pairs;  // tensor, the name under which the node makes it
    for (std::string& output : node.outputs) {
      if (!is_activation(output)) continue;
      const std::string tensor = output;
      output = writer_.made_as(tensor, "_QuantizeLinear_Input");
      pairs.emplace_back(tensor, output);
    }
    writer_.add_node(std::move(node));
    for (const auto& [tensor, produced_as] : pairs) insert_pair(tensor, produced_as);
  }

  const Plan& plan_;
  Writer writer_;
  std::set<std::string> graph_outputs_;
  std::map<std::string, std::string> reads_;
};

}  // namespace

Model write_qdq(const Plan& plan) { return QdqWriter(plan).run(); }

}  // namespace octet
