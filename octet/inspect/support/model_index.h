// model_index.h: who makes and who uses each value of a model's graph, and what is known of it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "octet/graph/infer.h"
#include "octet/graph/model.h"
#include "octet/inspect/report.h"

namespace octet {

// Refers to the model, which must outlive it.
class ModelIndex {
 public:
  ModelIndex(const Model& model, Facts facts);

  const Model& model() const { return model_; }
  const Fact* fact(std::string_view name) const;
  const Initializer* initializer(std::string_view name) const;
  const Node* producer(std::string_view name) const;
  std::span<const Node* const> consumers(std::string_view name) const;
  bool is_graph_output(std::string_view name) const { return outputs_.contains(name); }

  Origin origin(std::string_view name) const;
  ValueReport value(const std::string& name) const;

 private:
  const Model& model_;
  Facts facts_;
  std::unordered_map<std::string_view, const Initializer*> initializers_;
  std::unordered_map<std::string_view, const Node*> producers_;
  std::unordered_map<std::string_view, std::vector<const Node*>> consumers_;
  std::unordered_map<std::string_view, const Value*> outputs_;
};

// The input's name; "" when there is none.
std::string_view input_of(const Node& node, std::size_t i);
std::string_view output_of(const Node& node, std::size_t i);

}  // namespace octet
