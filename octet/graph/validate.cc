#include "octet/graph/validate.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "octet/base/fail.h"

namespace octet {
namespace {

constexpr int kDeepestNesting = 100;

// The names of one graph, and through `outer` those of the graphs around it.
struct Scope {
  const Scope* outer = nullptr;
  int depth = 0;
  std::unordered_set<std::string_view> names;

  bool sees(std::string_view name) const {
    for (const Scope* scope = this; scope; scope = scope->outer)
      if (scope->names.contains(name)) return true;
    return false;
  }

  void add(std::string_view name, std::string_view kind) {
    if (name.empty()) fail(ErrorCode::kModel, "{} has no name", kind);
    if (!names.insert(name).second) fail(ErrorCode::kModel, "{} {} has the name of another value", kind, name);
  }
};

void check_graph(const Graph& graph, const Scope* outer);

void check_input(const std::string& input, const Scope& scope, const std::vector<Node>& nodes) {
  if (input.empty() || scope.sees(input)) return;
  for (const Node& producer : nodes)
    if (std::ranges::find(producer.outputs, input) != producer.outputs.end())
      fail(ErrorCode::kModel, "input {} comes from {}, which is not earlier: the nodes form a cycle", input,
           describe(producer));
  fail(ErrorCode::kModel, "input {} is neither an input of the graph, an initializer nor the output of a node", input);
}

void check_node(const Node& node, Scope& scope, const std::vector<Node>& nodes) {
  if (node.op_type.empty()) fail(ErrorCode::kModel, "the node has no operator");
  for (const std::string& input : node.inputs) check_input(input, scope, nodes);
  for (const auto& [name, attribute] : node.subgraphs)
    for (const Graph& graph : attribute.graphs) check_graph(graph, &scope);
  for (const std::string& output : node.outputs)
    if (!output.empty()) scope.add(output, "output");
}

void check_nodes(const std::vector<Node>& nodes, Scope& scope) {
  for (const Node& node : nodes) {
    try {
      check_node(node, scope, nodes);
    } catch (const Error& error) {
      throw error.at(describe(node));
    }
  }
}

void check_output(const std::string& output, const Scope& scope) {
  if (!scope.sees(output)) fail(ErrorCode::kModel, "output {} is not the output of any node", output);
}

void check_graph(const Graph& graph, const Scope* outer) {
  Scope scope{.outer = outer, .depth = outer ? outer->depth + 1 : 0};
  if (scope.depth > kDeepestNesting) fail(ErrorCode::kLimit, "graphs are nested more than {} deep", kDeepestNesting);
  for (const Initializer& initializer : graph.initializers) scope.add(initializer.name, "initializer");
  std::unordered_set<std::string_view> inputs;  // may repeat initializers, but not each other
  for (const Value& input : graph.inputs) {
    if (!inputs.insert(input.name).second)
      fail(ErrorCode::kModel, "input {} has the name of another value", input.name);
    if (!scope.names.contains(input.name)) scope.add(input.name, "input");
  }
  check_nodes(graph.nodes, scope);
  for (const Value& output : graph.outputs) check_output(output.name, scope);
}

void check_opsets(const std::vector<std::pair<std::string, std::int64_t>>& imports) {
  std::unordered_set<std::string_view> domains;
  for (const auto& [domain, version] : imports)
    if (!domains.insert(domain).second)
      fail(ErrorCode::kModel, "the operator set {} is imported twice", domain.empty() ? "ai.onnx" : domain);
}

void check_function(const Function& function) {
  check_opsets(function.opset_imports);
  Scope scope;
  for (const std::string& input : function.inputs) scope.add(input, "input");
  check_nodes(function.nodes, scope);
  for (const std::string& output : function.outputs) check_output(output, scope);
}

}  // namespace

void validate(const Model& model) {
  check_opsets(model.opset_imports);
  check_graph(model.graph, nullptr);
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> identities;
  for (const Function& function : model.functions) {
    const std::string where = fmt::format("function {}{}{}{}{}", function.domain, function.domain.empty() ? "" : ".",
                                          function.name, function.overload.empty() ? "" : ":", function.overload);
    try {
      if (!identities.emplace(function.domain, function.name, function.overload).second)
        fail(ErrorCode::kModel, "it is defined twice");
      check_function(function);
    } catch (const Error& error) {
      throw error.at(where);
    }
  }
}

}  // namespace octet
