// first_names.h: a list of names for a message.
#pragma once

#include <string>
#include <vector>

namespace octet {

// "a, b, c, d, … (9 in all)".
std::string first_names(const std::vector<std::string>& names);

}  // namespace octet
