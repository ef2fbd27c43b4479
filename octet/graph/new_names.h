// new_names.h: names for what is added to a graph, that nothing in it has yet.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "octet/graph/model.h"

namespace octet {

class NewNames {
 public:
  NewNames() = default;
  // Taken are the names of its nodes and values, and of those of the graphs inside it.
  explicit NewNames(const Graph& graph);

  void take(const std::string& name) { taken_.insert(name); }

  // `wish`, with a number behind it where that is taken; another one each time.
  std::string make(const std::string& wish);

  // The same of `base` + `role`, but one name whenever the same two are asked for.
  const std::string& of(const std::string& base, std::string_view role);

 private:
  void take(const Graph& graph);

  std::set<std::string> taken_;
  std::map<std::string, int> numbers_;  // the last behind each wish
  std::map<std::pair<std::string, std::string>, std::string> given_;
};

}  // namespace octet
