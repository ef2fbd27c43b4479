// exceptions.h: lists of patterns with a reason each: cases that may fail, operators that are refused, cases that
// another arithmetic computes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace octet {

struct Exception {
  std::string pattern;  // of "folder/case"; * stands for anything
  std::string reason;   // or the name of an arithmetic
  int uses = 0;
};

// Whether `text` is what the pattern says.
bool matches(std::string_view pattern, std::string_view text);

// One per line, "pattern: reason". Throws octet::Error on a line that is anything else.
std::vector<Exception> load_exceptions(const std::filesystem::path& file);

}  // namespace octet
