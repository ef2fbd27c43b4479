#include "octet/program/computable.h"

#include <fmt/core.h>

#include <algorithm>

#include "octet/base/fail.h"
#include "octet/graph/lookup.h"
#include "octet/spec/registry.h"

namespace octet {

const Operator& computable_operator(const Model& model, const Node& node) {
  if (const Operator* op = find_operator(model, node)) return *op;
  const std::string_view domain = node.domain.empty() ? "ai.onnx" : std::string_view(node.domain);
  const int opset = model.opset(node);
  if (opset == 0) fail(ErrorCode::kModel, "the model does not import the operators of {}", domain);
  if (const Operator* op = find_operator(node.domain, node.op_type))
    fail(ErrorCode::kUnsupported, "Octet knows {} from opset {} of {} on, not in opset {}", node.op_type,
         op->versions.front(), domain, opset);
  fail(ErrorCode::kUnsupported, "Octet does not know the operator {} of {} opset {}", node.op_type, domain, opset);
}

void require_computable(DType dtype, std::string_view what, std::string_view name_of_value) {
  if (dtype == DType::kString || dtype == DType::kComplex64 || dtype == DType::kComplex128)
    fail(ErrorCode::kUnsupported, "{} {} is of type {}, which Octet does not compute with", what, name_of_value,
         name(dtype));
}

namespace {

constexpr std::size_t kMostListed = 100;

void require_computable(const Model& model, const Graph& graph);

void require_computable(const Model& model, const Node& node) {
  try {
    check_arguments(model, node, computable_operator(model, node));
    for (const auto& [attribute, graphs] : node.subgraphs) {
      if (graphs.graphs.size() != 1)
        fail(ErrorCode::kModel, "attribute {} has {} graphs, one is wanted", attribute, graphs.graphs.size());
      try {
        require_computable(model, graphs.graphs.front());
      } catch (const Error& error) {
        throw error.inside(describe(node) + ": " + attribute);
      }
    }
  } catch (const Error& error) {
    throw error.at(describe(node));
  }
}

// All nodes of operators that Octet does not compute are named in one error, so that the user sees the whole list.
void require_computable_nodes(const Model& model, const std::vector<Node>& nodes) {
  std::vector<Error> unknown;
  for (const Node& node : nodes) {
    try {
      require_computable(model, node);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kUnsupported) throw;
      unknown.push_back(error);
    }
  }
  if (unknown.empty()) return;
  if (unknown.size() == 1) throw Error(unknown.front());
  std::string list;
  for (std::size_t n = 0; n < std::min(unknown.size(), kMostListed); ++n)
    list += "\n  " + std::string(unknown[n].what());
  if (unknown.size() > kMostListed) list += fmt::format("\n  and {} more", unknown.size() - kMostListed);
  fail(ErrorCode::kUnsupported, "Octet does not compute {} nodes:{}", unknown.size(), list);
}

// Throws unless Octet computes with a graph's inputs, initializers and nodes, and with those of the graphs inside it.
void require_computable(const Model& model, const Graph& graph) {
  for (const Value& input : graph.inputs) {
    if (!input.type.is_tensor() && (&graph == &model.graph || !input.type.other.empty()))
      fail(ErrorCode::kUnsupported, "input {} is not a tensor, and Octet computes with tensors only", input.name);
    require_computable(input.type.dtype, "input", input.name);
  }
  for (const Initializer& initializer : graph.initializers) {
    if (initializer.tensor.empty())
      fail(ErrorCode::kUnsupported, "initializer {} is sparse, and Octet computes with dense tensors only",
           initializer.name);
    require_computable(initializer.tensor.dtype(), "initializer", initializer.name);
  }
  require_computable_nodes(model, graph.nodes);
}

}  // namespace

bool is_computable(const Model& model, const Node& node) {
  try {
    require_computable(model, node);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    return false;
  }
  return true;
}

void require_computable(const Model& model) { require_computable(model, model.graph); }

}  // namespace octet
