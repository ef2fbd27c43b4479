// dot_text.h: a picture in the language of Graphviz.
#pragma once

#include <string>

#include "octet/draw/layout.h"
#include "octet/draw/picture.h"

namespace octet {

// Nodes, wires, frames, a title and a legend of what occurs, on an opaque white ground: pictures are shown on light and
// dark pages, and colours are chosen for one of them. The same picture gives the same text, whatever the machine. Names
// from files are shortened, and escaped so that no name can be read as markup. Node 12 of the picture is called n12, the
// id of wire 12 begins with w12, and frame 12 is cluster_frame13. For LayoutKind::kRows, nodes have positions.
std::string dot_text(const Picture& picture, LayoutKind layout = LayoutKind::kFull);

}  // namespace octet
