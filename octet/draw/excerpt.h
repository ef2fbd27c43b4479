// excerpt.h: a part of a picture. Neighbours that are left out stay as names.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "octet/draw/picture.h"

namespace octet {

// These nodes, with the stored tensors they read and the dots beside them. Frames keep what is left of them.
Picture excerpt(const Picture& picture, const std::vector<std::size_t>& nodes);

// What is at most `depth` wires away from the node called `name`. Throws kUsage when there is none, with names that are
// close.
Picture excerpt_around(const Picture& picture, std::string_view name, int depth);

}  // namespace octet
