// scale_groups.h: tensors that have one scale and zero point together.
#pragma once

#include <map>
#include <set>
#include <string>

namespace octet {

class ScaleGroups {
 public:
  // The name of the group that a tensor is in; at first its own.
  const std::string& of(const std::string& tensor);

  void join(const std::string& a, const std::string& b);
  // `result` has the scale of `source`, whatever that is.
  void follow(const std::string& source, const std::string& result);
  bool follows(const std::string& tensor) const { return followers_.contains(tensor); }

 private:
  std::map<std::string, std::string> parents_;  // a union-find
  std::set<std::string> followers_;
};

}  // namespace octet
