// fit.h: text in the columns there are. Widths are columns of a terminal (see characters.h), not bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace octet {

std::size_t display_width(std::string_view text);

// At most `width` columns, the middle replaced by "…". A width of 0 cuts nothing.
std::string shorten(const std::string& text, std::size_t width);

// Lines of at most `width` columns, all but the first indented by `indent`. They break at spaces; a word breaks only
// where it is longer than a line. A width of 0 is one line. The text has no line breaks of its own.
std::vector<std::string> wrap(std::string_view text, std::size_t width, std::size_t indent = 2);

}  // namespace octet
