#include "octet/inspect/inspect.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "octet/base/error.h"
#include "octet/graph/infer.h"
#include "octet/graph/lookup.h"
#include "octet/inspect/support/macs.h"
#include "octet/inspect/support/model_index.h"
#include "octet/inspect/support/node_labels.h"
#include "octet/inspect/support/program_forms.h"
#include "octet/inspect/support/quantization.h"
#include "octet/inspect/support/runnable.h"
#include "octet/inspect/support/weights.h"

namespace octet {
namespace {

// The definition in force at the model's opset.
int version_of(const Operator& op, int opset) {
  int version = 0;
  for (const int v : op.versions)
    if (v <= opset) version = v;
  return version;
}

// Those of the graphs inside its graphs too.
std::size_t nodes_in(const GraphAttribute& attribute) {
  std::size_t nodes = 0;
  for (const Graph& graph : attribute.graphs)
    for (const Node& node : graph.nodes) {
      ++nodes;
      for (const auto& [name, inner] : node.subgraphs) nodes += nodes_in(inner);
    }
  return nodes;
}

bool is_quantized(DType dtype) { return is_integer(dtype) && bits(dtype) <= 16; }
bool is_any_float(DType dtype) { return is_float(dtype) || is_minifloat(dtype); }

class Inspector {
 public:
  explicit Inspector(const Model& model) : model_(model), runnable_(model), index_(model, infer_all()) {}

  ModelReport run() && {
    describe_model();
    const std::vector<Form> forms = forms_by_program();
    const std::set<std::string_view> parameters = quantization_parameters(model_);
    const std::vector<NodeErrors> errors = errors_by_node();
    for (const Node& node : model_.graph.nodes) {
      const NodeErrors& found = errors[report_.nodes.size()];
      report_.nodes.push_back(describe_node(node));
      // Everything below may meet an attribute of the wrong kind or a size beyond all bounds.
      NodeReport& nr = report_.nodes.back();
      std::int64_t integer_macs = 0;
      try {
        nr.runs = runnable_.runs(node) && !found.unsupported;
        nr.quantization = quantization_of(node, index_);
        nr.form = forms.empty() ? form_of(node) : forms[report_.nodes.size() - 1];
        if (nr.form == Form::kQdq) nr.around = quantization_around(node, index_);
        nr.weights = weights_of(node, index_, parameters);
        nr.counts_macs = multiplied_operands(node).has_value();
        if (const auto macs = nr.counts_macs ? macs_of(node, index_, as_one_) : std::nullopt) {
          nr.macs = macs->all;
          integer_macs = macs->all - macs->in_float;
        }
      } catch (const Error& error) {
        nr.notes.push_back(error.message());
      }
      nr.notes.insert(nr.notes.end(), found.notes.begin(), found.notes.end());
      forms_.emplace(&node, nr.form);
      count(node, nr, integer_macs);
    }
    finish_summary();
    return std::move(report_);
  }

 private:
  Facts infer_all() {
    try {
      return infer(model_, [&](const Error& error) { errors_.push_back(error); });
    } catch (const Error& error) {
      report_.notes.push_back(error.what());
      return {};
    }
  }

  void describe_model() {
    report_.ir_version = model_.ir_version;
    report_.opsets = model_.opset_imports;
    report_.producer_name = model_.producer_name;
    report_.producer_version = model_.producer_version;
    report_.domain = model_.domain;
    report_.graph_name = model_.graph.name;
    report_.doc = model_.doc;
    report_.model_version = model_.model_version;
    report_.metadata = model_.metadata;
    for (const Function& function : model_.functions)
      report_.functions.push_back(function.domain + "." + function.name);
    for (const Value* input : required_inputs(model_.graph)) report_.inputs.push_back(index_.value(input->name));
    for (const Value& output : model_.graph.outputs) report_.outputs.push_back(index_.value(output.name));
  }

  NodeReport describe_node(const Node& node) const {
    NodeReport nr;
    nr.name = node.name;
    nr.op_type = node.op_type;
    nr.domain = node.domain;
    nr.opset = model_.opset(node);
    const Operator* op = runnable_.is_local_function(node) ? nullptr : find_operator(model_, node);
    if (op) nr.version = version_of(*op, nr.opset);
    nr.attributes = node.attributes;
    for (const auto& [name, attribute] : node.subgraphs) {
      nr.subgraphs.emplace_back(name, nodes_in(attribute));
    }
    for (const std::string& input : node.inputs) nr.inputs.push_back(index_.value(input));
    for (const std::string& output : node.outputs) nr.outputs.push_back(index_.value(output));
    return nr;
  }

  // Empty where there is no program.
  std::vector<Form> forms_by_program() {
    try {
      ProgramForms found = program_forms(index_);
      report_.summary.share = found.share;
      return std::move(found.forms);
    } catch (const Error& error) {
      report_.summary.no_program = error.what();
      return {};
    }
  }

  // Without a program, by the nodes next to it. Constants do not decide: a bias may well be stored as a float.
  Form form_of(const Node& node) const {
    if (is_conversion(node)) return Form::kConversion;
    if (is_quantized_operator(node)) return Form::kInteger;
    if (is(node, ops::kShape) || is(node, ops::kSize)) return Form::kOther;
    bool floats = false, dequantized = true, quantized = false;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Fact* fact = index_.fact(node.inputs[i]);
      const Origin origin = index_.origin(node.inputs[i]);
      if (!fact || origin == Origin::kInitializer || origin == Origin::kConstant) continue;
      quantized = quantized || is_quantized(fact->dtype);
      if (!is_any_float(fact->dtype)) continue;
      floats = true;
      dequantized = dequantized && (dequantizer_of_input(node, i, index_) || continues_qdq(node, i));
    }
    if (floats) {
      const bool result = quantizer_of_output(node, index_) || multiplied_operands(node);
      return dequantized && result ? Form::kQdq : Form::kFloat;
    }
    return quantized ? Form::kInteger : Form::kOther;
  }

  // An activation right after a node in QDQ form, which a runtime merges into it.
  bool continues_qdq(const Node& node, std::size_t i) const {
    if (!is_activation(node) || i > 0) return false;
    const Node* producer = index_.producer(node.inputs[i]);
    if (!producer || index_.consumers(node.inputs[i]).size() != 1) return false;
    const auto form = forms_.find(producer);
    return form != forms_.end() && form->second == Form::kQdq;
  }

  // The type of the stored values behind a multiplied operand.
  DType operand_type(const Node& node, std::size_t i) const {
    const Node* dequantize = dequantizer_of_input(node, i, index_);
    const Fact* fact = index_.fact(dequantize ? input_of(*dequantize, 0) : input_of(node, i));
    return fact ? fact->dtype : DType::kUndefined;
  }

  // Whether it multiplies integers of 8 bits, whatever else it does in float.
  static bool has_integer_products(const Node& node) {
    return is(node, ops::kDynamicQuantizeMatMul) || is(node, ops::kDynamicQuantizeLSTM) || is(node, ops::kQAttention);
  }

  bool multiplies_8bit(const Node& node) const {
    if (has_integer_products(node)) return true;
    const MultipliedOperands operands = *multiplied_operands(node);
    for (const std::size_t i : {operands.first, operands.second}) {
      const DType dtype = operand_type(node, i);
      if (!is_integer(dtype) || bits(dtype) > 8) return false;
    }
    return true;
  }

  // `integer_macs` are those of its own that are not in float whatever its operands are.
  void count(const Node& node, const NodeReport& nr, std::int64_t integer_macs) {
    Summary& s = report_.summary;
    ++s.nodes;
    s.quantize_linear += is(node, ops::kQuantizeLinear);
    s.dequantize_linear += is(node, ops::kDequantizeLinear);
    s.dynamic_quantize_linear += is(node, ops::kDynamicQuantizeLinear);
    s.integer_nodes += nr.form == Form::kInteger;
    s.qdq_nodes += nr.form == Form::kQdq;
    s.float_nodes += nr.form == Form::kFloat;
    OperatorCount& op =
        operators_.try_emplace({nr.domain, nr.op_type}, OperatorCount{nr.domain, nr.op_type, 0, true}).first->second;
    ++op.nodes;
    op.runs = op.runs && nr.runs;
    for (const WeightReport& weight : nr.weights) {
      if (!counted_weights_.insert(weight.name).second) continue;
      for (CountReport* c : {&s.weights, &s.weights_by_type[std::string(name(weight.dtype))]}) {
        ++c->tensors;
        c->elements += weight.count;
        c->bytes += (weight.count * bits(weight.dtype) + 7) / 8;
      }
    }
    if (nr.counts_macs && !nr.macs) ++s.uncounted_macs_nodes;
    if (!nr.macs) return;
    // Sums of honest models are far from the limit; a hostile one shall not wrap.
    if (__builtin_add_overflow(s.macs, *nr.macs, &s.macs)) s.macs = INT64_MAX;
    const bool quantized = nr.form == Form::kInteger || nr.form == Form::kQdq || has_integer_products(node);
    if (quantized && multiplies_8bit(node) && __builtin_add_overflow(s.macs_8bit, integer_macs, &s.macs_8bit))
      s.macs_8bit = INT64_MAX;
  }

  // What inference found at a node or within it.
  struct NodeErrors {
    std::vector<std::string> notes;
    bool unsupported = false;  // valid, and nothing that Octet computes
  };

  // Inference names nodes of the graph with functions expanded, where a node of a body is called "<call>/<name>". Errors that
  // belong to no node become notes of the model.
  std::vector<NodeErrors> errors_by_node() {
    std::unordered_map<std::string, std::size_t> by_description;
    for (std::size_t i = 0; i < model_.graph.nodes.size(); ++i)
      by_description.emplace(describe(model_.graph.nodes[i]), i);
    const NodeLabels labels(model_.graph.nodes);
    std::vector<NodeErrors> result(model_.graph.nodes.size());
    for (const Error& error : errors_) {
      const auto node = by_description.find(error.where());
      const bool is_own = node != by_description.end();
      const std::vector<std::size_t> call = is_own ? std::vector{node->second} : labels.find(error.where());
      if (call.empty()) {
        report_.notes.push_back(error.what());
        continue;
      }
      NodeErrors& found = result[call.front()];
      found.notes.push_back(is_own ? Error(error.code(), error.message(), {}, error.constraint()).what()
                                   : error.what());
      found.unsupported = found.unsupported || error.code() == ErrorCode::kUnsupported;
    }
    return result;
  }

  void finish_summary() {
    Summary& s = report_.summary;
    for (auto& [key, op] : operators_) s.operators.push_back(std::move(op));
    std::stable_sort(s.operators.begin(), s.operators.end(),
                     [](const OperatorCount& a, const OperatorCount& b) { return a.nodes > b.nodes; });
    s.symbols_as_one.assign(as_one_.begin(), as_one_.end());
  }

  const Model& model_;
  Runnable runnable_;
  ModelReport report_;
  std::vector<Error> errors_;
  const ModelIndex index_;
  std::unordered_map<const Node*, Form> forms_;
  std::set<std::string> counted_weights_, as_one_;
  std::map<std::pair<std::string, std::string>, OperatorCount> operators_;  // by domain and name
};

double ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double Summary::quantized_share() const {
  if (share) return ratio(share->quantized, share->computing);
  return ratio(integer_nodes + qdq_nodes, integer_nodes + qdq_nodes + float_nodes);
}
double Summary::macs_8bit_share() const { return ratio(macs_8bit, macs); }

ModelReport inspect(const Model& model) { return Inspector(model).run(); }

}  // namespace octet
