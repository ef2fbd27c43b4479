// utf8.h: text as code points. What is not valid becomes U+FFFD, one for every byte that can't be used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace octet {

std::u32string decode_utf8(std::string_view text);

// Appends one code point; U+FFFD for surrogates and values beyond U+10FFFF.
void append_utf8(std::string& text, std::uint32_t code_point);

// The text as a terminal may show it, on one line: valid UTF-8, hidden characters (see characters.h) written as escapes
// such as \n, \x1b, \u202e and \U000e0001.
std::string printable(std::string_view text);

// The same, but line breaks stay.
std::string printable_lines(std::string_view text);

}  // namespace octet
