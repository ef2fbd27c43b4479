// names.h: names for what a quantizer adds to a model, that nothing in the model has yet.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "octet/graph/model.h"

namespace octet {

class Names {
 public:
  explicit Names(const Graph& graph);

  // A name that the model will have too.
  void take(const std::string& name) { taken_.insert(name); }

  // `base` + `role`, with underscores behind it where that is taken; the same name whenever the same two are asked for.
  const std::string& of(const std::string& base, std::string_view role);

 private:
  std::set<std::string> taken_;
  std::map<std::pair<std::string, std::string>, std::string> given_;
};

}  // namespace octet
