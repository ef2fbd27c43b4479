#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "octet/graph/index.h"
#include "octet/graph/infer.h"
#include "octet/graph/lookup.h"
#include "octet/graph/new_names.h"
#include "octet/graph/rewrite/float16_kernels.h"
#include "octet/graph/rewrite/rewrite.h"

namespace octet {
namespace {

DType attribute_type(const Node& node, std::string_view attribute) {
  const AttributeValue* value = node.attributes.find(attribute);
  const auto* number = value ? std::get_if<std::int64_t>(value) : nullptr;
  return number && *number > 0 && *number < kDTypeCount ? static_cast<DType>(*number) : DType::kUndefined;
}

// Whether a float16 value enters the graph or is made in it: no operator makes one of nothing.
bool mentions_float16(const Graph& graph) {
  const auto is_float16 = [](const Value& value) { return value.type.dtype == DType::kFloat16; };
  const auto makes_float16 = [](const Node& node) {
    const auto holds_it = [](const auto& attribute) {
      const auto* tensor = std::get_if<Tensor>(&attribute.second.value);
      return tensor && tensor->dtype() == DType::kFloat16;
    };
    const auto mentions_it = [](const auto& attribute) {
      return std::any_of(attribute.second.graphs.begin(), attribute.second.graphs.end(), mentions_float16);
    };
    return attribute_type(node, "to") == DType::kFloat16 || attribute_type(node, "dtype") == DType::kFloat16 ||
           attribute_type(node, "output_dtype") == DType::kFloat16 ||
           std::any_of(node.attributes.begin(), node.attributes.end(), holds_it) ||
           std::any_of(node.subgraphs.begin(), node.subgraphs.end(), mentions_it);
  };
  return std::any_of(graph.inputs.begin(), graph.inputs.end(), is_float16) ||
         std::any_of(graph.value_info.begin(), graph.value_info.end(), is_float16) ||
         std::any_of(graph.initializers.begin(), graph.initializers.end(),
                     [](const Initializer& constant) { return constant.tensor.dtype() == DType::kFloat16; }) ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(), makes_float16);
}

bool is_cast(const Node& node) {
  return node.domain.empty() && is(node, ops::kCast) && node.inputs.size() == 1 && node.outputs.size() == 1;
}

Node cast_node(const std::string& from, const std::string& to, DType dtype) {
  Node node{.name = to, .op_type = "Cast", .inputs = {from}, .outputs = {to}};
  node.attributes.set("to", static_cast<std::int64_t>(dtype));
  return node;
}

// The runtime takes a Cast from `dtype` to float16 for one that loses nothing: bool and 8 bits, or float16 itself.
bool fits_float16(DType dtype) {
  return dtype == DType::kBool || dtype == DType::kInt8 || dtype == DType::kUint8 || dtype == DType::kFloat16;
}

class Float16Widening {
 public:
  explicit Float16Widening(Model& model)
      : model_(model), facts_(infer(model, [](const Error&) {})), names_(model.graph) {
    write_cast_like_as_cast();
    index_.emplace(model.graph);
    for (const Node& node : model.graph.nodes) wide_.push_back(is_computed_wide(node));
    for (std::size_t i = 0; i < wide_.size(); ++i)
      if (is_isolated(model.graph.nodes[i])) wide_[i] = true;
  }

  // In execution order: what reads a value comes behind it and is not rewritten yet.
  void rewrite() {
    std::vector<Node> nodes = std::move(model_.graph.nodes);
    model_.graph.nodes.clear();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (is_cast(nodes[i]))
        cast(std::move(nodes[i]), nodes);
      else if (wide_[i])
        widen(std::move(nodes[i]), nodes);
      else
        keep(std::move(nodes[i]));
    }
  }

 private:
  // A value before it was rounded to float16.
  struct Source {
    std::string name;
    bool rounds_for_good;   // its Cast stays, because another one widens the result again
    bool rounds_for_casts;  // it has readers in float16
  };

  DType type(const std::string& value) const {
    const auto fact = facts_.find(value);
    return fact == facts_.end() ? DType::kUndefined : fact->second.dtype;
  }
  bool is_float16(const std::string& value) const { return !value.empty() && type(value) == DType::kFloat16; }
  bool any_float16(const std::vector<std::string>& values) const {
    return std::any_of(values.begin(), values.end(), [&](const std::string& value) { return is_float16(value); });
  }

  bool is_computed_wide(const Node& node) const {
    return !has_float16_kernel(node, model_.opset(node)) && any_float16(node.inputs);
  }

  // CastLike is a Cast to the runtime: its body.
  void write_cast_like_as_cast() {
    for (Node& node : model_.graph.nodes) {
      if (!node.domain.empty() || !is(node, ops::kCastLike) || node.inputs.size() != 2) continue;
      const DType to = type(node.inputs[1]);
      if (to == DType::kUndefined) continue;
      node.op_type = "Cast";
      node.inputs.pop_back();
      node.attributes.set("to", static_cast<std::int64_t>(to));
    }
  }

  bool is_made_wide(const std::string& value) const {
    const std::optional<std::size_t> producer = index_->producer(value);
    return !producer || wide_[*producer];
  }
  bool is_read_wide_by_one(const std::string& value) const {
    const std::vector<std::size_t>& readers = index_->consumers(value);
    return std::any_of(readers.begin(), readers.end(), [&](std::size_t reader) { return wide_[reader]; });
  }
  bool is_read_wide(const std::string& value) const {
    const std::vector<std::size_t>& readers = index_->consumers(value);
    return std::all_of(readers.begin(), readers.end(), [&](std::size_t reader) { return wide_[reader]; });
  }

  // A node with a float16 kernel behind nodes without, or behind none but on a result. Of variable numbers of inputs the
  // runtime looks at the first.
  bool may_be_widened(const Node& node) const {
    if (!node.subgraphs.empty() || !has_float16_kernel(node, model_.opset(node))) return false;
    const bool joins = is(node, ops::kConcat) || is(node, ops::kMax) || is(node, ops::kMin);
    const std::vector<std::string> inputs(node.inputs.begin(),
                                          joins && !node.inputs.empty() ? node.inputs.begin() + 1 : node.inputs.end());
    return any_float16(inputs) &&
           std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](const std::string& value) { return index_->producer(value).has_value(); }) &&
           std::all_of(inputs.begin(), inputs.end(),
                       [&](const std::string& value) { return !is_float16(value) || is_made_wide(value); });
  }

  // Such a node in front of nodes without a kernel alone. Of the outputs of Split the runtime looks at the first.
  bool is_isolated(const Node& node) const {
    if (is_dequantizer(node) || !may_be_widened(node)) return false;
    const bool splits = is(node, ops::kSplit) && !node.outputs.empty();
    const std::vector<std::string> outputs(node.outputs.begin(),
                                           splits ? node.outputs.begin() + 1 : node.outputs.end());
    return any_float16(outputs) &&
           std::none_of(node.outputs.begin(), node.outputs.end(),
                        [&](const std::string& value) { return index_->is_graph_output(value); }) &&
           std::all_of(outputs.begin(), outputs.end(),
                       [&](const std::string& value) { return !is_float16(value) || is_read_wide(value); });
  }

  // One for each reader, to the runtime: any of them can be isolated.
  bool is_dequantizer(const Node& node) const {
    return node.domain.empty() && is(node, ops::kDequantizeLinear) && node.outputs.size() == 1;
  }

  // No reader of the value needs it in float16.
  bool is_read_by_casts_alone(const std::string& value, const std::vector<Node>& nodes) const {
    const std::vector<std::size_t>& readers = index_->consumers(value);
    return !index_->is_graph_output(value) && std::all_of(readers.begin(), readers.end(), [&](std::size_t reader) {
      return wide_[reader] || is_cast(nodes[reader]);
    });
  }

  // The file's own Cast to float16, of a value that it rounds, stays whole where another Cast of the file widens the
  // result.
  bool rounds_for_good(const Node& cast, const std::vector<Node>& nodes) const {
    if (fits_float16(type(cast.inputs[0]))) return false;
    const std::vector<std::size_t>& readers = index_->consumers(cast.outputs[0]);
    return std::any_of(readers.begin(), readers.end(), [&](std::size_t reader) {
      return is_cast(nodes[reader]) && !fits_float16(attribute_type(nodes[reader], "to"));
    });
  }

  void cast(Node node, const std::vector<Node>& nodes) {
    const std::string from = node.inputs[0], to = node.outputs[0];
    const DType wanted = attribute_type(node, "to");
    if (const auto source = sources_.find(from); source != sources_.end() && !source->second.rounds_for_good) {
      if (wanted == type_of(source->second) && !index_->is_graph_output(to)) {
        model_.graph.nodes.push_back(
            {.name = node.name, .op_type = "Identity", .inputs = {source->second.name}, .outputs = {to}});
        return;
      }
      if (!source->second.rounds_for_casts) node.inputs[0] = source->second.name;
    }
    if (wanted == DType::kFloat16)
      sources_[to] = {node.inputs[0], rounds_for_good(node, nodes), !is_read_by_casts_alone(to, nodes)};
    model_.graph.nodes.push_back(std::move(node));
  }

  // The value in float32 for a node that is computed so.
  std::string widened(const std::string& value) {
    const auto source = sources_.find(value);
    const bool has_source = source != sources_.end() && !source->second.rounds_for_good;
    if (has_source && type_of(source->second) == DType::kFloat) return source->second.name;
    const auto [known, is_new] = widened_.emplace(value, std::string());
    if (!is_new) return known->second;
    known->second = new_float32(value);
    const bool skips = has_source && !source->second.rounds_for_casts;
    model_.graph.nodes.push_back(cast_node(skips ? source->second.name : value, known->second, DType::kFloat));
    return known->second;
  }

  // As it is, and a DequantizeLinear once more in float32 for those who read it so.
  void keep(Node node) {
    const std::string output = node.outputs.empty() ? "" : node.outputs[0];
    const bool twice =
        is_dequantizer(node) && is_float16(output) && may_be_widened(node) && is_read_wide_by_one(output);
    Node wide = twice ? node : Node();
    model_.graph.nodes.push_back(std::move(node));
    if (!twice) return;
    widen_inputs(wide);
    wide.name = wide.outputs[0] = widened_[output] = new_float32(output);
    model_.graph.nodes.push_back(std::move(wide));
  }

  void widen_inputs(Node& node) {
    for (std::string& input : node.inputs)
      if (is_float16(input)) input = widened(input);
    for (const std::string attribute : {"dtype", "output_dtype"})
      if (attribute_type(node, attribute) == DType::kFloat16)
        node.attributes.set(attribute, static_cast<std::int64_t>(DType::kFloat));
  }

  void widen(Node node, const std::vector<Node>& nodes) {
    widen_inputs(node);
    std::vector<Node> casts;
    for (std::string& output : node.outputs) {
      if (!is_float16(output)) continue;
      const std::string wide = new_float32(output);
      sources_[output] = {wide, false, !is_read_by_casts_alone(output, nodes)};
      casts.push_back(cast_node(wide, output, DType::kFloat16));
      output = wide;
    }
    model_.graph.nodes.push_back(std::move(node));
    std::move(casts.begin(), casts.end(), std::back_inserter(model_.graph.nodes));
  }

  std::string new_float32(const std::string& value) {
    std::string name = names_.make(value + "/float32");
    float32_.insert(name);
    return name;
  }
  DType type_of(const Source& source) const {
    return float32_.contains(source.name) ? DType::kFloat : type(source.name);
  }

  Model& model_;
  const Facts facts_;
  NewNames names_;
  std::optional<GraphIndex> index_;             // of the file's nodes
  std::vector<bool> wide_;                      // by node: computed in float32
  std::map<std::string, Source> sources_;       // by float16 value
  std::map<std::string, std::string> widened_;  // float16 value -> its Cast to float32
  std::set<std::string> float32_;               // new values
};

}  // namespace

Model widen_float16(Model model, const Arithmetic& arithmetic) {
  if (!mentions_float16(model.graph)) return model;
  Float16Widening(model).rewrite();
  return remove_identities(fold_constants(std::move(model), arithmetic));
}

}  // namespace octet
