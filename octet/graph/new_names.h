// new_names.h: names for what a pass adds to a graph, that nothing in the graph has yet.
#pragma once

#include <map>
#include <set>
#include <string>

#include "octet/graph/model.h"

namespace octet {

class NewNames {
 public:
  explicit NewNames(const Graph& graph);

  // `wish`, with a number behind it where that is taken; another one each time.
  std::string make(const std::string& wish);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> numbers_;  // the last behind each wish
};

}  // namespace octet
