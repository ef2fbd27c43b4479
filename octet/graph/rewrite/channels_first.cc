#include <algorithm>
#include <map>

#include "octet/graph/infer.h"
#include "octet/graph/lookup.h"
#include "octet/graph/new_names.h"
#include "octet/graph/rewrite/rewrite.h"

namespace octet {
namespace {

constexpr std::string_view kMicrosoftDomain = "com.microsoft";

Node transpose_node(const std::string& name, const std::string& from, const std::string& to,
                    std::vector<std::int64_t> perm) {
  Node node{.name = name, .op_type = "Transpose", .inputs = {from}, .outputs = {to}};
  node.attributes.set("perm", std::move(perm));
  return node;
}

// Channels from the end to place 1, and back.
std::vector<std::int64_t> to_first(std::size_t rank) {
  std::vector<std::int64_t> perm = {0, static_cast<std::int64_t>(rank) - 1};
  for (std::size_t axis = 1; axis + 1 < rank; ++axis) perm.push_back(static_cast<std::int64_t>(axis));
  return perm;
}
std::vector<std::int64_t> to_last(std::size_t rank) {
  std::vector<std::int64_t> perm = {0};
  for (std::size_t axis = 2; axis < rank; ++axis) perm.push_back(static_cast<std::int64_t>(axis));
  perm.push_back(1);
  return perm;
}

class ChannelsFirst {
 public:
  explicit ChannelsFirst(Model& model) : model_(model), facts_(infer(model)), names_(model.graph) {
    if (model.opset("") == 0) model.opset_imports.emplace_back("", kSinceOpset);
  }

  void rewrite() {
    std::vector<Node> nodes = std::move(model_.graph.nodes);
    model_.graph.nodes.clear();
    for (Node& node : nodes)
      if (is(node, ops::kMicrosoftQLinearConv))
        convolution(std::move(node));
      else
        model_.graph.nodes.push_back(std::move(node));
  }

 private:
  void convolution(Node node) {
    const auto rank = rank_of(node);
    const bool last = node.attributes.get_int("channels_last", 0) != 0;
    if (last && (!rank || *rank < 3)) return model_.graph.nodes.push_back(std::move(node));
    node.domain.clear();
    node.opset = model_.opset("") >= kSinceOpset ? 0 : kSinceOpset;
    node.attributes.erase("channels_last");
    if (!last) return model_.graph.nodes.push_back(std::move(node));
    const std::string y = node.outputs[0];
    node.inputs[0] = first_of(node, *rank);
    node.outputs[0] = first_[y] = names_.make(y + "/channels_first");
    const std::string inner = node.outputs[0], name = node.name;
    model_.graph.nodes.push_back(std::move(node));
    model_.graph.nodes.push_back(transpose_node(name + "/channels_last", inner, y, to_last(*rank)));
  }

  // The rank of x, or else of the weights.
  std::optional<std::size_t> rank_of(const Node& node) const {
    for (const std::size_t input : {0U, 3U}) {
      const auto fact = facts_.find(node.inputs[input]);
      if (fact != facts_.end() && fact->second.shape) return fact->second.shape->size();
    }
    return std::nullopt;
  }

  // x with its channels first: what the convolution before it made, or a Transpose of x.
  std::string first_of(const Node& node, std::size_t rank) {
    const std::string& x = node.inputs[0];
    const auto [known, is_new] = first_.emplace(x, std::string());
    if (!is_new) return known->second;
    known->second = names_.make(x + "/channels_first");
    model_.graph.nodes.push_back(transpose_node(node.name + "/channels_first", x, known->second, to_first(rank)));
    return known->second;
  }

  static constexpr int kSinceOpset = 10;
  Model& model_;
  const Facts facts_;
  NewNames names_;
  std::map<std::string, std::string> first_;  // value -> the same with its channels first
};

}  // namespace

Model channels_first(Model model) {
  const auto has_one = [&](const Node& node) { return is(node, ops::kMicrosoftQLinearConv); };
  if (std::none_of(model.graph.nodes.begin(), model.graph.nodes.end(), has_one)) return model;
  ChannelsFirst(model).rewrite();
  return remove_unused(std::move(model));
}

}  // namespace octet
