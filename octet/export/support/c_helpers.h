// c_helpers.h: the functions that steps of exported C share. A file gets those that it uses, and what they use.
#pragma once

#include <set>
#include <string>

namespace octet {

class CHelpers {
 public:
  // The helper's name, which the file will have.
  const std::string& use(const std::string& name);
  // Definitions, each below those that it needs.
  std::string text() const;

 private:
  std::set<std::string> used_;
};

}  // namespace octet
