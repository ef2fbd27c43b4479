// dot_text.h: a picture in the language of Graphviz.
#pragma once

#include <string>

#include "octet/draw/picture.h"

namespace octet {

// Nodes, wires, frames, a title and a legend of what occurs, on an opaque white ground: pictures are shown on light and
// dark pages, and colours are chosen for one of them. The same picture gives the same text, whatever the machine. Names
// from files are shortened, and escaped so that no name can be read as markup.
std::string dot_text(const Picture& picture);

}  // namespace octet
