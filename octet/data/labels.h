// labels.h: the classes of samples, from names of folders or a list.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace octet {

// The class of each name. Where all names are numbers (0, 1, 2, ..., in decimal digits), a name is its class; else classes are
// counted from 0 on in the order of the different names, byte by byte. Throws kFormat for a number beyond 2^31.
std::vector<std::int64_t> class_numbers(const std::vector<std::string>& names);

// Whether it is a number with a fraction, such as 1.5: no class, and hardly the name of one.
bool is_fraction(std::string_view label);

// How many different names there are; 0 where all are numbers.
std::int64_t named_classes(const std::vector<std::string>& names);

struct LabelledFile {
  std::string file, label;
  std::int64_t line;  // from 1 on
};

// "name label" in each line, behind the last space or tab; "name,label" behind the last comma where `commas`. Quotes around
// either are taken off, empty lines passed over. A first line whose label is not a number where all others are is a
// heading. Throws kFormat, naming the line.
std::vector<LabelledFile> parse_label_list(std::string_view text, bool commas);

}  // namespace octet
