#include "octet/quantize/scale_groups.h"

namespace octet {

const std::string& ScaleGroups::of(const std::string& tensor) {
  std::string& parent = parents_.try_emplace(tensor, tensor).first->second;
  if (parent != tensor) parent = of(std::string(parent));
  return parent;
}

void ScaleGroups::join(const std::string& a, const std::string& b) {
  const std::string from = of(b), to = of(a);
  parents_[from] = to;
}

void ScaleGroups::follow(const std::string& source, const std::string& result) {
  join(source, result);
  followers_.insert(result);
}

}  // namespace octet
