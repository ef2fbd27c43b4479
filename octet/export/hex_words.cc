#include "octet/export/hex_words.h"

namespace octet {

void BitWord::append(std::int64_t number, int bits) {
  for (int bit = 0; bit < bits; ++bit) bits_.push_back(((number >> (bit < 63 ? bit : 63)) & 1) != 0);
}

std::string BitWord::hex() const {
  std::string digits((bits_.size() + 3) / 4, '0');
  for (std::size_t digit = 0; digit < digits.size(); ++digit) {
    unsigned value = 0;
    for (std::size_t bit = 0; bit < 4 && 4 * digit + bit < bits_.size(); ++bit)
      value |= bits_[4 * digit + bit] ? 1U << bit : 0U;
    digits[digits.size() - 1 - digit] = "0123456789abcdef"[value];
  }
  return digits;
}

std::string hex_lines(const std::vector<BitWord>& words) {
  std::string text;
  for (const BitWord& word : words) text += word.hex() + "\n";
  return text;
}

}  // namespace octet
