// identifiers.h: names of a network in C and Verilog, whatever a file calls its tensors.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace octet {

// Hands out identifiers: letters, digits and underscores, a letter first, at most 48 characters, no word that C, C++ or
// Verilog reserve, never two that differ in nothing but case, and none twice.
class Identifiers {
 public:
  // Whether a name is an identifier as it stands, and free: then it is taken.
  bool keep(const std::string& name);

  // As much of `name` as an identifier may have; a number behind it where that is taken.
  std::string make(std::string_view name);

 private:
  std::set<std::string> taken_;  // in lower case
};

// A name as a comment of C or Verilog may show it: one line of printable ASCII, at most 100 characters, without the
// marks that begin or end a comment, a trigraph or a line splice.
std::string comment_text(std::string_view name);

}  // namespace octet
