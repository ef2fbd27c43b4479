// graphviz.h: the only place that knows Graphviz.
#pragma once

#include <string>

#include "octet/draw/layout.h"
#include "octet/draw/render.h"

namespace octet {

// The bytes of an image of what dot_text() wrote for a layout. Graphviz 2.42 keeps state of its own, does not free all it
// takes, and may crash: call it in a process of its own. Throws kLimit for a PNG beyond what that format's writer can
// hold, and kUnsupported with the reason when Graphviz says that it failed.
std::string graphviz_image(const std::string& dot, LayoutKind layout, ImageFormat format);

}  // namespace octet
