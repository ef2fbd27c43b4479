// A chain of dynamic quantization is one node, with what it computes on. A pair is a QuantizeLinear all of whose readers are DequantizeLinear: what flows between is the integer tensor, and
// that is what is drawn. A DequantizeLinear of a stored tensor belongs to the tensor. Conversions that are no half of a
// pair stay nodes; so does a pair that follows another, since it changes numbers.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "octet/draw/support/dynamic_chains.h"
#include "octet/draw/support/labels.h"
#include "octet/draw/support/report_graph.h"
#include "octet/draw/support/wiring.h"
#include "octet/draw/views.h"
#include "octet/inspect/node_table.h"

namespace octet {
namespace {

class Folding {
 public:
  explicit Folding(const ModelReport& report)
      : report_(report),
        graph_(report),
        chains_(dynamic_chains(report, graph_)),
        chain_of_(report.nodes.size(), nullptr),
        positions_(report.nodes.size()) {
    for (const DynamicChain& chain : chains_) {
      chain_of_[chain.sum] = &chain;
      for (const std::size_t member : chain.members) chain_of_[member] = &chain;
    }
  }

  Picture picture() {
    for (const ValueReport& input : report_.inputs) {
      inputs_.try_emplace(input.name, picture_.nodes.size());
      picture_.nodes.push_back(border_node(input));
    }
    for (std::size_t i = 0; i < report_.nodes.size(); ++i) {
      if (!is_drawn(i)) continue;
      positions_[i] = picture_.nodes.size();
      picture_.nodes.push_back(chain_of_[i] ? drawn(*chain_of_[i]) : drawn(report_.nodes[i]));
    }
    for (std::size_t i = 0; i < report_.nodes.size(); ++i) {
      if (!is_drawn(i)) continue;
      if (chain_of_[i])
        for (const ValueReport* input : chain_of_[i]->inputs) connect(*input, positions_[i]);
      else
        for (const ValueReport& input : report_.nodes[i].inputs) connect(input, positions_[i]);
    }
    for (const ValueReport& output : report_.outputs) {
      picture_.nodes.push_back(border_node(output));
      connect(output, picture_.nodes.size() - 1);
    }
    wiring_.draw(picture_);
    picture_.title = picture_title(report_.path, has_pairs_ ? "QDQ pairs as wires" : "nodes and their weights");
    if (has_scales_) picture_.remarks = {std::string(kScaleRemark)};
    return std::move(picture_);
  }

 private:
  bool is_first_half(std::size_t node) const {
    const NodeReport& quantize = report_.nodes[node];
    if (!is(quantize, ops::kQuantizeLinear) || quantize.inputs.empty() || quantize.outputs.empty()) return false;
    const std::optional<std::size_t> before = graph_.maker(quantize.inputs[0].name);
    if (before && is(report_.nodes[*before], ops::kDequantizeLinear)) return false;
    const std::string& made = quantize.outputs[0].name;
    const std::vector<std::size_t>& readers = graph_.readers(made);
    return !readers.empty() && !graph_.is_output(made) &&
           std::all_of(readers.begin(), readers.end(), [&](std::size_t r) {
             return is(report_.nodes[r], ops::kDequantizeLinear) && report_.nodes[r].inputs[0].name == made;
           });
  }
  bool is_second_half(std::size_t node) const {
    const NodeReport& dequantize = report_.nodes[node];
    if (!is(dequantize, ops::kDequantizeLinear) || dequantize.inputs.empty()) return false;
    const std::optional<std::size_t> maker = graph_.maker(dequantize.inputs[0].name);
    return maker && is_first_half(*maker);
  }
  bool is_drawn(std::size_t node) const {
    if (chain_of_[node]) return chain_of_[node]->sum == node;
    return graph_.computed(node) && !is_first_half(node) && !is_second_half(node);
  }

  PictureNode drawn(const NodeReport& node) const {
    PictureNode result{.kind = kind_of_operator(node.op_type),
                       .name = label_of(node),
                       .title = operator_title(node.op_type, node.attributes),
                       .adds = is_addition(node.op_type),
                       .floating = node.form == Form::kFloat};
    for (const WeightReport& weight : node.weights) {
      const QuantizationReport* q = quantization_of(node, weight.name);
      const std::string role = q ? q->role + " " : "";
      PictureLine line{fmt::format("{}{} {}", role, name(weight.dtype), to_string(weight.shape)),
                       q ? badge_of(*q) : ""};
      if (std::find(result.lines.begin(), result.lines.end(), line) == result.lines.end())
        result.lines.push_back(std::move(line));
    }
    return result;
  }
  PictureNode drawn(const DynamicChain& chain) const {
    const NodeReport& sum = report_.nodes[chain.sum];
    PictureNode result = drawn(sum);
    result.title = dynamic_title(sum.op_type, sum.attributes);
    const std::optional<Shape> scales =
        chain.w_scale && chain.w_scale->shape ? concrete(*chain.w_scale->shape) : std::nullopt;
    if (scales && element_count(*scales) > 1 && !result.lines.empty())
      result.lines[0].badge = fmt::format("{} scales", element_count(*scales));
    if (chain.bias) result.lines.push_back({"bias " + type_text(*chain.bias), ""});
    return result;
  }
  // Of a stored tensor, as the node that computes with it knows it.
  static const QuantizationReport* quantization_of(const NodeReport& node, const std::string& tensor) {
    for (const auto* list : {&node.quantization, &node.around})
      for (const QuantizationReport& q : *list)
        if (q.tensor == tensor) return &q;
    return nullptr;
  }

  // Back through the halves of a pair to the integers between them, and on to the node they come from.
  void connect(const ValueReport& read, std::size_t reader) {
    const ValueReport* carried = &read;
    const ValueReport* source = &read;
    std::optional<std::size_t> maker = graph_.maker(read.name);
    if (maker && is_second_half(*maker)) {
      carried = &report_.nodes[*maker].inputs[0];
      const std::optional<std::size_t> quantize = graph_.maker(carried->name);
      source = &report_.nodes[*quantize].inputs[0];
      maker = graph_.maker(source->name);
      has_pairs_ = true;
    }
    std::optional<std::size_t> from;
    if (const auto input = inputs_.find(source->name); input != inputs_.end()) from = input->second;
    if (maker && chain_of_[*maker]) maker = chain_of_[*maker]->sum;
    if (maker && is_drawn(*maker)) from = positions_[*maker];
    if (!from) return;
    std::vector<PictureLine> lines = {{type_text(*carried), ""}};
    if (const QuantizationReport* q = graph_.quantization(carried->name)) {
      lines.push_back(quantization_line(*q));
      has_scales_ = true;
    }
    wiring_.add(carried->name, *from, reader, wire_kind(carried->dtype), std::move(lines));
  }

  const ModelReport& report_;
  ReportGraph graph_;
  std::vector<DynamicChain> chains_;
  std::vector<const DynamicChain*> chain_of_;  // each node's, if it is part of one
  Picture picture_;
  std::map<std::string, std::size_t> inputs_;
  std::vector<std::size_t> positions_;  // in the picture, of the nodes that are drawn
  Wiring wiring_;
  bool has_pairs_ = false, has_scales_ = false;
};

}  // namespace

Picture folded_view(const ModelReport& report) { return Folding(report).picture(); }

}  // namespace octet
