#include <optional>

#include "octet/graph/index.h"
#include "octet/graph/lookup.h"
#include "octet/graph/new_names.h"
#include "octet/graph/rewrite/rewrite.h"
#include "octet/spec/batch_normalization.h"

namespace octet {
namespace {

// y = x * gain[o] + shift[o]
struct ChannelAffine {
  std::vector<double> gain, shift;
};

const Tensor* constant(const Graph& graph, const Node& node, std::size_t input) {
  if (input >= node.inputs.size()) return nullptr;
  const Initializer* initializer = find_initializer(graph, node.inputs[input]);
  return initializer && !initializer->tensor.empty() ? &initializer->tensor : nullptr;
}

std::optional<ChannelAffine> affine_of(const Model& model, const Node& norm) {
  const Tensor* parameters[4];
  for (std::size_t i = 0; i < 4; ++i) {
    parameters[i] = constant(model.graph, norm, i + 1);
    if (!parameters[i] || !is_float(parameters[i]->dtype()) || parameters[i]->rank() != 1 ||
        parameters[i]->size() != parameters[0]->size())
      return std::nullopt;
  }
  for (std::size_t i = 1; i < norm.outputs.size(); ++i)
    if (!norm.outputs[i].empty()) return std::nullopt;
  const int opset = model.opset(norm);
  if (batch_norm_trains(norm.attributes, opset) || !batch_norm_is_per_channel(norm.attributes, opset))
    return std::nullopt;
  const double epsilon = norm.attributes.get_float("epsilon", 1e-5F);
  ChannelAffine affine;
  for (std::int64_t m = 0; m < parameters[0]->size(); ++m) {
    const auto at = [&](std::size_t i) { return parameters[i]->number_at(m); };
    const auto [gain, shift] = batch_norm_affine(at(0), at(1), at(2), at(3), epsilon);
    affine.gain.push_back(gain);
    affine.shift.push_back(shift);
  }
  return affine;
}

// Which channel of the output each element of the weights belongs to: (index / inner) % count, as a function of the
// operator; nothing when the operator is not one that folds.
struct ChannelLayout {
  std::int64_t count, inner;
  std::int64_t groups = 1;  // ConvTranspose: the channel also depends on the group, the slowest part of the index
};

std::optional<ChannelLayout> layout_of(const Node& node, const Tensor& weights) {
  const Shape& shape = weights.shape();
  const auto tail = [&](std::size_t first) { return element_count(std::span(shape).subspan(first)); };
  if (is(node, ops::kConv) && shape.size() >= 3) return ChannelLayout{shape[0], tail(1)};
  if (is(node, ops::kConvTranspose) && shape.size() >= 3) {
    const std::int64_t groups = node.attributes.get_int("group", 1);
    if (groups < 1 || shape[0] % groups != 0) return std::nullopt;
    return ChannelLayout{shape[1], tail(2), groups};
  }
  if (is(node, ops::kGemm) && shape.size() == 2 && node.attributes.get_float("alpha", 1) == 1 &&
      node.attributes.get_float("beta", 1) == 1)
    return node.attributes.get_int("transB", 0) ? ChannelLayout{shape[0], shape[1]} : ChannelLayout{shape[1], 1};
  return std::nullopt;
}

Tensor from_doubles(const std::vector<double>& values, Shape shape, DType dtype) {
  return convert(Tensor::from<double>(std::move(shape), std::span<const double>(values)), dtype);
}

// Folds `norm` into `node`, or leaves both and returns false.
bool fold(Model& model, NewNames& names, const GraphIndex& index, Node& node, const Node& norm) {
  Graph& graph = model.graph;
  const Tensor* weights = constant(graph, node, 1);
  const std::optional<ChannelAffine> affine = affine_of(model, norm);
  if (!weights || !affine || !is_float(weights->dtype()) || !index.has_one_use(node.outputs[0])) return false;
  const std::optional<ChannelLayout> layout = layout_of(node, *weights);
  if (!layout || layout->count * layout->groups != static_cast<std::int64_t>(affine->gain.size())) return false;
  const bool has_bias = node.inputs.size() > 2 && !node.inputs[2].empty();
  const Tensor* bias = has_bias ? constant(graph, node, 2) : nullptr;
  const auto channels = static_cast<std::int64_t>(affine->gain.size());
  if (has_bias && (!bias || bias->rank() > 1 || (bias->size() != channels && bias->size() != 1))) return false;

  std::vector<double> new_weights, new_bias;
  const std::int64_t per_group = weights->size() / layout->groups;
  for (std::int64_t i = 0; i < weights->size(); ++i) {
    const std::int64_t m = (per_group ? i / per_group : 0) * layout->count + i / layout->inner % layout->count;
    new_weights.push_back(weights->number_at(i) * affine->gain[static_cast<std::size_t>(m)]);
  }
  for (std::int64_t m = 0; m < channels; ++m) {
    const double old = bias ? bias->number_at(bias->size() == 1 ? 0 : m) : 0.0;
    new_bias.push_back(old * affine->gain[static_cast<std::size_t>(m)] + affine->shift[static_cast<std::size_t>(m)]);
  }

  // Weights may be shared with other nodes, so the folded ones are new initializers under names of their own.
  const DType dtype = weights->dtype();
  const Shape shape = weights->shape();
  const std::string weights_name = names.make(node.inputs[1] + "_folded");
  graph.initializers.push_back({.name = weights_name, .tensor = from_doubles(new_weights, shape, dtype)});
  const std::string bias_name = names.make((has_bias ? node.inputs[2] : norm.inputs[2]) + "_folded");
  graph.initializers.push_back({.name = bias_name, .tensor = from_doubles(new_bias, {channels}, dtype)});
  node.inputs.resize(3);
  node.inputs[1] = weights_name;
  node.inputs[2] = bias_name;
  node.outputs[0] = norm.outputs[0];
  return true;
}

}  // namespace

Model fold_batch_norm(Model model) {
  Graph& graph = model.graph;
  const GraphIndex index(graph);
  NewNames names(graph);
  std::vector<bool> folded(graph.nodes.size(), false);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& norm = graph.nodes[i];
    if (!is(norm, ops::kBatchNormalization) || !norm.domain.empty() || norm.inputs.empty()) continue;
    const std::optional<std::size_t> producer = index.producer(norm.inputs[0]);
    if (producer && graph.nodes[*producer].domain.empty() && !folded[*producer])
      folded[i] = fold(model, names, index, graph.nodes[*producer], norm);
  }
  std::vector<Node> kept;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (!folded[i]) kept.push_back(std::move(graph.nodes[i]));
  graph.nodes = std::move(kept);
  return remove_unused(std::move(model));
}

}  // namespace octet
