#include "octet/inspect/support/node_labels.h"

#include "octet/inspect/support/model_index.h"

namespace octet {

NodeLabels::NodeLabels(const std::vector<Node>& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    by_label_[nodes[i].name.empty() ? output_of(nodes[i], 0) : std::string_view(nodes[i].name)].push_back(i);
}

const std::vector<std::size_t>& NodeLabels::find(std::string_view label) const {
  static const std::vector<std::size_t> none;
  auto found = by_label_.find(label);
  for (std::size_t at = label.find('/'); at != std::string_view::npos && found == by_label_.end();
       at = label.find('/', at + 1))
    found = by_label_.find(label.substr(0, at));
  return found == by_label_.end() ? none : found->second;
}

}  // namespace octet
