// hex_words.h: words of any width for $readmemh, put together from numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace octet {

// The bits of a word, the lowest first.
class BitWord {
 public:
  // The lowest `bits` of a number in two's complement.
  void append(std::int64_t number, int bits);
  int size() const { return static_cast<int>(bits_.size()); }
  // Hexadecimal digits, the highest first, as many as the bits need.
  std::string hex() const;

 private:
  std::vector<bool> bits_;
};

// A line for each word.
std::string hex_lines(const std::vector<BitWord>& words);

}  // namespace octet
