// graphviz.h: the only place that knows Graphviz.
#pragma once

#include <string>

namespace octet {

// The bytes of an image of a graph in the DOT language. `engine` is a layout engine of Graphviz ("dot", "nop"), `format` "svg" or
// "png". Graphviz 2.42 keeps global state, does not free all the memory it takes, and may crash: call it once per process.
// Throws kLimit for a PNG larger than its format allows, and kUnsupported with the reason when Graphviz reports a failure.
std::string graphviz_image(const std::string& dot, const std::string& engine, const std::string& format);

}  // namespace octet
