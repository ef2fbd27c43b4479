// titles.h: what a browser shows of a picture while the pointer rests on it.
#pragma once

#include <string>
#include <string_view>

#include "octet/draw/picture.h"

namespace octet {

// An SVG that Graphviz made of dot_text(picture), with the names of nodes, tensors and frames as titles, where Graphviz
// puts its own: "n12", "n12->n13". What has no name has no title.
std::string with_titles(std::string_view svg, const Picture& picture);

}  // namespace octet
