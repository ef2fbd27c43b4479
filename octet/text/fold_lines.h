// fold_lines.h: text in lines that are not too long.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace octet {

// Each line that is longer than `width` in several, which keep its indentation. A width of 0 changes nothing.
std::string fold_lines(std::string_view text, std::size_t width);

}  // namespace octet
