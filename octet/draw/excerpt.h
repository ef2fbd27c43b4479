// excerpt.h: a part of a picture. Neighbours that are left out stay as names.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "octet/draw/picture.h"

namespace octet {

// The frames of a picture around what a part of it has of them; `places` says where in the part each node of the whole is.
// Neighbours that belong to a frame stay inside. A frame that has lost something says "in part"; one of which nothing is
// drawn is left out.
std::vector<PictureFrame> frames_of_part(const Picture& whole, const Picture& part,
                                         const std::vector<std::optional<std::size_t>>& places);

// These nodes, with the stored tensors they read and the dots beside them.
Picture excerpt(const Picture& picture, const std::vector<std::size_t>& nodes);

// What is at most `depth` wires away from the node called `name`. Throws kUsage when there is none, with names that are
// close.
Picture excerpt_around(const Picture& picture, std::string_view name, int depth);

}  // namespace octet
