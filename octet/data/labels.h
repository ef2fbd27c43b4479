// labels.h: the classes of samples, from names of folders or a list.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace octet {

// Whether it is the name of a class, or a number that is one: whole, from 0 on and below 2^31, however it is written
// (3, 3.0, 3e0). Numbers such as -1 and 1.5 are neither.
bool may_be_class(std::string_view label);

// The class of each name. Where all names are numbers, a name is its class; else classes are counted from 0 on in the
// order of the different names, byte by byte. Throws kFormat where all are numbers and one of them is no class.
std::vector<std::int64_t> class_numbers(const std::vector<std::string>& names);

// The different names, by the number of their class; empty where all are numbers.
std::vector<std::string> class_names(const std::vector<std::string>& names);

struct LabelledFile {
  std::string file, label;
  std::int64_t line;  // from 1 on
};

// "name label" in each line, behind the last space or tab; "name,label" behind the last comma where `commas`. Quotes around
// either are taken off, empty lines and a byte order mark passed over. A first line whose label
// is not a number where all others are is a heading. Throws kFormat, naming the line.
std::vector<LabelledFile> parse_label_list(std::string_view text, bool commas);

}  // namespace octet
