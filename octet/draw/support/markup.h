// markup.h: text in the HTML-like labels of Graphviz.
#pragma once

#include <string>
#include <string_view>

#include "octet/draw/picture.h"

namespace octet {

// The text as XML shows it: valid UTF-8 that XML may hold, control characters as escapes, no markup of its own.
std::string xml_escaped(std::string_view text);

// The same for a label of Graphviz, which has escapes of its own.
std::string escaped(std::string_view text);

// A node's title, name and lines, with their badges.
std::string node_markup(const PictureNode& node);

// The lines along a wire.
std::string wire_markup(const PictureWire& wire);

// The title, and what the colours, strokes and badges of this picture mean, in rows that fit `width` pixels.
std::string caption_markup(const Picture& picture, double width);

}  // namespace octet
