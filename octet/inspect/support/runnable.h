// runnable.h: which nodes of a model Octet can run.
#pragma once

#include <map>
#include <string_view>
#include <tuple>

#include "octet/graph/model.h"

namespace octet {

// Refers to the model, which must outlive it.
class Runnable {
 public:
  explicit Runnable(const Model& model);

  bool is_local_function(const Node& node) const { return functions_.contains(key(node)); }

  // There is a kernel for the node, and for those of its graphs, or it calls a function, the model's own or the standard's, all of whose nodes run.
  bool runs(const Node& node) { return runs(node, model_.opset(node)); }

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;  // domain, name, overload
  static Key key(const Node& node) { return {node.domain, node.op_type, node.overload}; }

  bool runs(const Node& node, int opset);
  bool graphs_run(const Node& node);
  bool body_runs(const Function& function);

  const Model& model_;
  std::map<Key, const Function*> functions_;
  std::map<const Function*, bool> known_;
  int depth_ = 0;
};

}  // namespace octet
