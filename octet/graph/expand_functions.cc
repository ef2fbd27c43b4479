#include "octet/graph/expand_functions.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "octet/base/fail.h"
#include "octet/graph/lookup.h"
#include "octet/graph/standard_functions.h"
#include "octet/spec/registry.h"

namespace octet {
namespace {

constexpr std::int64_t kMostNodes = 1'000'000;
constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::size_t kDeepestCalls = 100;

using Key = std::tuple<std::string_view, std::string_view, std::string_view>;  // domain, name, overload

Key key_of(const Function& function) { return {function.domain, function.name, function.overload}; }

std::size_t bytes_of(const AttributeValue& value) {
  return std::visit(
      []<typename V>(const V& v) {
        if constexpr (requires { v[0]; })
          return v.size() * sizeof(v[0]);
        else
          return sizeof(V);
      },
      value);
}

std::size_t bytes_of(const Graph& graph, std::size_t per_name);

// What a copy of the node takes, with `per_name` bytes added to every value name. Tensors are shared.
std::size_t bytes_of(const Node& node, std::size_t per_name) {
  std::size_t bytes = node.name.size() + per_name + node.doc.size() + node.unknown_fields.size();
  for (const auto* names : {&node.inputs, &node.outputs})
    for (const std::string& name : *names) bytes += name.size() + per_name;
  for (const auto& [name, attribute] : node.attributes)
    bytes += name.size() + bytes_of(attribute.value) + attribute.doc.size() + attribute.unknown_fields.size();
  for (const std::string& other : node.other_attributes) bytes += other.size();
  for (const auto& [key, value] : node.metadata) bytes += key.size() + value.size();
  for (const auto& [name, attribute] : node.subgraphs)
    for (const Graph& graph : attribute.graphs) bytes += bytes_of(graph, per_name);
  return bytes;
}

std::size_t bytes_of(const Graph& graph, std::size_t per_name) {
  std::size_t bytes = graph.name.size() + graph.doc.size() + graph.unknown_fields.size();
  for (const Node& node : graph.nodes) bytes += bytes_of(node, per_name);
  for (const auto* values : {&graph.inputs, &graph.outputs, &graph.value_info})
    for (const Value& value : *values)
      bytes += sizeof(Value) + value.name.size() + per_name + value.doc.size() + value.unknown_fields.size() +
               (value.type.shape ? value.type.shape->size() * sizeof(Dim) : 0) + value.type.other.size();
  for (const Initializer& initializer : graph.initializers)
    bytes += sizeof(Initializer) + initializer.name.size() + per_name + initializer.doc.size() +
             initializer.sparse.size() + initializer.unknown_fields.size();
  return bytes;
}

// A body seen from one call: what its names and parameters mean there.
struct Instance {
  const Node& call;
  const Function& function;
  std::string prefix;
  std::map<std::string_view, std::string> names;  // of the function's inputs and outputs
  std::map<std::string, int> labels = {};         // of its nodes: how many have one
  std::set<std::string> given = {};               // names of its nodes, behind the prefix

  std::string rename(const std::string& name) const {
    if (name.empty()) return name;
    const auto formal = names.find(name);
    return formal == names.end() ? prefix + name : formal->second;
  }

  std::string node_name(const Node& node) {
    const std::string& label = node.name.empty() ? node.op_type : node.name;
    for (int& count = labels[label];;) {
      std::string name = ++count == 1 ? label : fmt::format("{}_{}", label, count);
      if (given.insert(name).second) return prefix + name;
    }
  }

  const AttributeValue* parameter(const std::string& name) const {
    if (const AttributeValue* given = call.attributes.find(name)) return given;
    const auto otherwise = function.defaults.find(name);
    return otherwise == function.defaults.end() ? nullptr : &otherwise->second.value;
  }

  std::size_t longest_name() const {
    std::size_t longest = prefix.size();
    for (const auto& [formal, actual] : names) longest = std::max(longest, actual.size());
    return longest;
  }
};

class Expander {
 public:
  Expander(Model& model, bool standard) : model_(model), functions_(std::move(model.functions)), standard_(standard) {
    model.functions.clear();
    for (const Function& function : functions_) by_key_.emplace(key_of(function), &function);
    take_names(model.graph);
  }

  void expand(Graph& graph) {
    std::vector<Node> nodes = std::move(graph.nodes);
    graph.nodes.clear();
    for (Node& node : nodes) append(std::move(node), graph.nodes);
  }

 private:
  void take_names(const Graph& graph) {
    for (const auto* values : {&graph.inputs, &graph.outputs, &graph.value_info})
      for (const Value& value : *values) taken_.insert(value.name);
    for (const Initializer& initializer : graph.initializers) taken_.insert(initializer.name);
    for (const Node& node : graph.nodes) take_names(node);
  }

  void take_names(const Node& node) {
    taken_.insert(node.outputs.begin(), node.outputs.end());
    for (const auto& [name, attribute] : node.subgraphs)
      for (const Graph& subgraph : attribute.graphs) take_names(subgraph);
  }

  void append(Node node, std::vector<Node>& out) {
    const auto local = by_key_.find(Key(node.domain, node.op_type, node.overload));
    if (local != by_key_.end()) return append_body(node, *local->second, out);
    if (standard_ && !find_operator(model_, node))
      if (const auto function = standard_function(node, model_.opset(node))) return append_body(node, *function, out);
    for (auto& [name, attribute] : node.subgraphs)
      for (Graph& subgraph : attribute.graphs) expand(subgraph);
    out.push_back(std::move(node));
  }

  void append_body(const Node& call, const Function& function, std::vector<Node>& out) {
    try {
      std::vector<Node> body = instantiate(call, function);
      open_.push_back(key_of(function));
      for (Node& node : body) append(std::move(node), out);
      open_.pop_back();
    } catch (const Error& error) {
      throw error.at(describe(call));
    }
  }

  std::vector<Node> instantiate(const Node& call, const Function& function) {
    if (std::find(open_.begin(), open_.end(), key_of(function)) != open_.end())
      fail(ErrorCode::kModel, "function {} calls itself", function.name);
    if (open_.size() >= kDeepestCalls)
      fail(ErrorCode::kLimit, "functions are nested deeper than {} calls", kDeepestCalls);
    if (call.inputs.size() > function.inputs.size())
      fail(ErrorCode::kModel, "{} inputs, where {} has {}", call.inputs.size(), function.name, function.inputs.size());
    if (call.outputs.size() > function.outputs.size())
      fail(ErrorCode::kModel, "{} outputs, where {} has {}", call.outputs.size(), function.name,
           function.outputs.size());

    Instance instance{call, function, unused_prefix(call), {}};
    for (std::size_t i = 0; i < function.inputs.size(); ++i)
      instance.names.emplace(function.inputs[i], i < call.inputs.size() ? call.inputs[i] : std::string());
    std::vector<Node> passed_on;  // outputs that are inputs, or other outputs, under a second name
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
      if (call.outputs[i].empty()) continue;
      const auto [value, is_new] = instance.names.emplace(function.outputs[i], call.outputs[i]);
      if (is_new) continue;
      Node identity;
      identity.op_type = "Identity";
      identity.inputs = {value->second};
      identity.outputs = {call.outputs[i]};
      passed_on.push_back(std::move(identity));
    }
    for (const auto& [domain, version] : function.opset_imports)
      if (model_.opset(domain) == 0) model_.opset_imports.emplace_back(domain, version);

    const std::size_t per_name = instance.longest_name();
    std::vector<Node> body;
    for (const Node& node : function.nodes) {
      account(bytes_of(node, per_name));
      body.push_back(copy_of(node, instance));
      take_names(body.back());
    }
    body.insert(body.end(), passed_on.begin(), passed_on.end());
    return body;
  }

  // "<call>/", or "<call>_2/" and so on where the model has such names already.
  std::string unused_prefix(const Node& call) {
    std::string label = call.name;
    for (std::size_t i = 0; label.empty() && i < call.outputs.size(); ++i) label = call.outputs[i];
    if (label.empty()) label = call.op_type;
    for (int& count = labels_[label];;) {
      const std::string prefix = ++count == 1 ? label + "/" : fmt::format("{}_{}/", label, count);
      const auto it = taken_.lower_bound(prefix);
      if (it == taken_.end() || !it->starts_with(prefix)) return prefix;
    }
  }

  Node copy_of(const Node& original, Instance& instance) {
    if (++nodes_ > kMostNodes) fail(ErrorCode::kLimit, "functions expand to more than {} nodes", kMostNodes);
    Node node = original;
    node.name = instance.node_name(original);
    node.opset = opset_of(original, instance.function);
    for (auto* names : {&node.inputs, &node.outputs})
      for (std::string& name : *names) name = instance.rename(name);
    for (const auto& [name, reference] : original.references)
      if (const AttributeValue* value = instance.parameter(reference.of)) {
        account(bytes_of(*value));
        node.attributes.set(name, *value);
      }
    node.references.clear();
    for (auto& [name, attribute] : node.subgraphs)
      for (Graph& graph : attribute.graphs) {
        for (auto* values : {&graph.inputs, &graph.outputs, &graph.value_info})
          for (Value& value : *values) value.name = instance.rename(value.name);
        for (Initializer& initializer : graph.initializers) initializer.name = instance.rename(initializer.name);
        for (Node& inner : graph.nodes) inner = copy_of(inner, instance);
      }
    return node;
  }

  // 0 where the model's own import means the same operator.
  int opset_of(const Node& node, const Function& function) const {
    const auto import = std::find_if(function.opset_imports.begin(), function.opset_imports.end(),
                                     [&](const auto& pair) { return pair.first == node.domain; });
    if (import == function.opset_imports.end()) return 0;
    const int wanted = to_opset(import->second);
    const int found = model_.opset(node.domain);
    const Operator* op = find_operator(node.domain, node.op_type);
    const bool same = wanted == found || (op && definition_in(*op, wanted) == definition_in(*op, found));
    return same ? 0 : wanted;
  }

  void account(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > kMostBytes)
      fail(ErrorCode::kLimit, "functions expand to more than {} MiB of names and attributes", kMostBytes >> 20);
  }

  Model& model_;
  const std::vector<Function> functions_;
  const bool standard_;  // those of the standard, too
  std::map<Key, const Function*> by_key_;
  std::set<std::string> taken_;  // value names
  std::map<std::string, int> labels_;
  std::vector<Key> open_;  // functions whose bodies are being expanded, outermost first
  std::int64_t nodes_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

Model expand_functions(Model model) {
  Expander(model, true).expand(model.graph);
  return model;
}

Model expand_own_functions(Model model) {
  Expander(model, false).expand(model.graph);
  return model;
}

}  // namespace octet
