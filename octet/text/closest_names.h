// closest_names.h: suggestions for a misspelled name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace octet {

// Up to three of `names`, nearest first, separated by commas: "conv1, conv2, conv10".
std::string closest_names(std::string_view wanted, const std::vector<std::string>& names);

// The one of `names` that `wanted` is a typo of, or the beginning: at most one letter in three is missing, too many,
// another one or swapped with its neighbour. Empty when there is none.
std::string mistyped_name(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace octet
