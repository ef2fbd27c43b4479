#include <algorithm>
#include <optional>

#include "octet/graph/index.h"
#include "octet/graph/infer.h"
#include "octet/graph/lookup.h"
#include "octet/graph/new_names.h"
#include "octet/graph/rewrite/rewrite.h"

namespace octet {
namespace {

// A MatMul of x with constant weights [K, N], and the Add of a constant row behind it.
struct BiasedProduct {
  std::size_t product, addition;
  SymbolicShape x;
  std::int64_t depth, columns;  // K, N
  std::string bias_name;
  Tensor bias;
  std::optional<std::size_t> clamp;  // a Relu or Clip that alone reads the sum
};

const Tensor* float_constant(const Facts& facts, const std::string& value) {
  const auto found = facts.find(value);
  return found != facts.end() && found->second.constant.dtype() == DType::kFloat && !found->second.constant.empty()
             ? &found->second.constant
             : nullptr;
}

// One number, or one for each column: [N], [1, N], [1, 1, N], ...
bool is_row(const Tensor& bias, std::int64_t columns, std::size_t rank) {
  return static_cast<std::size_t>(bias.rank()) <= rank &&
         (bias.size() == 1 || (bias.size() == columns && bias.shape().back() == columns));
}

// With at most one unknown row dimension the result can be reshaped back.
bool can_be_rows(const SymbolicShape& x) {
  const auto end = x.end() - 1;
  return x.size() == 2 || (std::count_if(x.begin(), end, [](const Dim& dim) { return !dim.known(); }) <= 1 &&
                           std::none_of(x.begin(), end, [](const Dim& dim) { return dim.is(0); }));
}

std::optional<std::size_t> clamp_behind(const Graph& graph, const GraphIndex& index, const Facts& facts,
                                        const std::string& sum) {
  if (!index.has_one_use(sum)) return std::nullopt;
  const std::size_t reader = index.consumers(sum).front();
  const Node& node = graph.nodes[reader];
  if (!node.domain.empty() || !has(node, Trait::kClamp) || node.inputs[0] != sum) return std::nullopt;
  for (std::size_t i = 1; i < node.inputs.size(); ++i)
    if (!node.inputs[i].empty() && !float_constant(facts, node.inputs[i])) return std::nullopt;
  return reader;
}

std::optional<BiasedProduct> biased_product(const Graph& graph, const GraphIndex& index, const Facts& facts,
                                            std::size_t addition) {
  const Node& add = graph.nodes[addition];
  if (!is(add, ops::kAdd) || !add.domain.empty() || add.inputs.size() != 2) return std::nullopt;
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const auto product = index.producer(add.inputs[side]);
    const Tensor* bias = float_constant(facts, add.inputs[1 - side]);
    if (!product || !bias || !index.has_one_use(add.inputs[side])) continue;
    const Node& node = graph.nodes[*product];
    if (!is(node, ops::kMatMul) || !node.domain.empty() || node.inputs.size() != 2) continue;
    const Tensor* weights = float_constant(facts, node.inputs[1]);
    const auto x = facts.find(node.inputs[0]);
    if (!weights || weights->rank() != 2 || weights->size() == 0 || x == facts.end() || !x->second.shape) continue;
    const SymbolicShape& shape = *x->second.shape;
    const std::int64_t columns = weights->shape()[1];
    if (shape.size() < 2 || !can_be_rows(shape) || !is_row(*bias, columns, shape.size())) continue;
    return BiasedProduct{*product, addition,
                         shape,    weights->shape()[0],
                         columns,  add.inputs[1 - side],
                         *bias,    shape.size() > 2 ? clamp_behind(graph, index, facts, add.outputs[0]) : std::nullopt};
  }
  return std::nullopt;
}

class BiasFusion {
 public:
  explicit BiasFusion(Graph& graph) : graph_(graph), names_(graph) {}

  // The nodes that take the place of the addition, and of a clamp behind it.
  std::vector<Node> fused(const BiasedProduct& found) {
    const Node& product = graph_.nodes[found.product];
    const std::string& y = graph_.nodes[found.addition].outputs[0];
    Node gemm = product;
    gemm.op_type = "Gemm";
    gemm.inputs.push_back(row(found));
    gemm.outputs = {y};
    if (found.x.size() == 2) return {gemm};
    std::vector<Node> nodes = {reshape(product.inputs[0], names_.make(product.inputs[0] + "_rows"), {-1, found.depth})};
    gemm.inputs[0] = nodes.back().outputs[0];
    gemm.outputs = {names_.make(y + "_rows")};
    nodes.push_back(gemm);
    std::string result = y;
    if (found.clamp) {  // on the rows too, where a quantizer sees it behind the sum
      Node clamp = graph_.nodes[*found.clamp];
      result = clamp.outputs[0];
      clamp.inputs[0] = nodes.back().outputs[0];
      clamp.outputs = {names_.make(result + "_rows")};
      nodes.push_back(std::move(clamp));
    }
    Shape shape;
    for (const Dim& dim : found.x) shape.push_back(dim.known() ? dim.value() : -1);
    shape.back() = found.columns;
    nodes.push_back(reshape(nodes.back().outputs[0], result, shape));
    return nodes;
  }

 private:
  std::string row(const BiasedProduct& found) {
    const Tensor& bias = found.bias;
    if (bias.rank() == 1 && bias.size() == found.columns) return found.bias_name;
    std::vector<float> values;
    for (std::int64_t n = 0; n < found.columns; ++n)
      values.push_back(static_cast<float>(bias.number_at(bias.size() == 1 ? 0 : n)));
    return add_constant(found.bias_name + "_row", Tensor::from<float>({found.columns}, std::span<const float>(values)));
  }

  Node reshape(const std::string& x, const std::string& y, const Shape& shape) {
    const std::string constant = add_constant(
        x + "_shape",
        Tensor::from<std::int64_t>({static_cast<std::int64_t>(shape.size())}, std::span<const std::int64_t>(shape)));
    Node node;
    node.op_type = "Reshape";
    node.name = names_.make(x + "_Reshape");
    node.inputs = {x, constant};
    node.outputs = {y};
    return node;
  }

  std::string add_constant(const std::string& wish, Tensor tensor) {
    graph_.initializers.push_back({.name = names_.make(wish), .tensor = std::move(tensor)});
    return graph_.initializers.back().name;
  }

  Graph& graph_;
  NewNames names_;
};

}  // namespace

Model fuse_matmul_bias(Model model) {
  Graph& graph = model.graph;
  const GraphIndex index(graph);
  const Facts facts = infer(model, [](const Error&) {});
  BiasFusion fusion(graph);
  std::vector<std::vector<Node>> replaced(graph.nodes.size());
  std::vector<bool> gone(graph.nodes.size(), false);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (const auto found = biased_product(graph, index, facts, i)) {
      replaced[i] = fusion.fused(*found);
      gone[found->product] = gone[i] = true;
      if (found->clamp) gone[*found->clamp] = true;
    }
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!gone[i]) nodes.push_back(std::move(graph.nodes[i]));
    for (Node& node : replaced[i]) nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
  return remove_unused(std::move(model));
}

}  // namespace octet
