// characters.h: what a terminal makes of a code point.
#pragma once

namespace octet {

// Nothing to see: controls, format characters (those that turn the direction of writing among them), fillers, line
// separators, private use and what will never be a character. Printed as they are, they would hide or forge text.
bool is_hidden(char32_t point);

// The columns it takes, rounded up where terminals disagree: 0 for accents that stand above or below another letter, 2
// for East Asian wide letters and pictures, else 1. Not for hidden ones.
int columns_of(char32_t point);

}  // namespace octet
