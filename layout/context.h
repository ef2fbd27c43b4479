// context.h: Graphviz, ready to lay out and to draw.
#pragma once

#include <graphviz/gvc.h>

namespace octet {

// With the plugins of the system (context.cc), or with those that octet-layout is linked to (linked_context.cc).
GVC_t* graphviz_context();

}  // namespace octet
