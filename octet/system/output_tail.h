// output_tail.h: the last lines a process printed, for error messages about it.
#pragma once

#include <string>

namespace octet {

class OutputTail {
 public:
  // Reads the available bytes from a descriptor. Returns false at end of file.
  bool read_from(int descriptor);

  // "it said: ...", the last lines joined and without color codes, or "it said nothing".
  std::string text() const;

 private:
  std::string tail_;
};

}  // namespace octet
