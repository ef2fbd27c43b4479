// node_labels.h: a file's nodes by the names that other parts of Octet call them.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "octet/graph/model.h"

namespace octet {

// Refers to the nodes, which must outlive it.
class NodeLabels {
 public:
  explicit NodeLabels(const std::vector<Node>& nodes);

  // The nodes of this name (an unnamed one goes by its first output). Where there is none: the call whose function the
  // node belongs to, for "<call>/<name>" is what it is called once functions are expanded. Empty where there is neither.
  const std::vector<std::size_t>& find(std::string_view label) const;

 private:
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_label_;
};

}  // namespace octet
